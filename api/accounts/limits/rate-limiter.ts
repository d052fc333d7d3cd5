import { type Awaitable, mapAwaitable } from '../../../runtime/awaitable.ts';
import type { HealthProblem } from '../../../runtime/health-problem.ts';

export type BurstScope = 'organization' | 'route';

/** A rolling limit of requests per minute; refused hits count too (specification "Burst limit"). */
export class RateLimiter {
  readonly #counter: WindowCounter;
  readonly #clock: () => Date;
  readonly #scope: BurstScope;

  /** Scopes may share a counter, but not counts. */
  constructor(counter: WindowCounter, clock: () => Date, scope: BurstScope) {
    this.#counter = counter;
    this.#clock = clock;
    this.#scope = scope;
  }

  hit(name: string, how: { readonly limit: number; readonly isEnforced: boolean }): Awaitable<BurstState> {
    const { limit, isEnforced } = how;
    return mapAwaitable(this.#counter.hit(`${this.#scope}:${name}`, limit), (window) =>
      burstStateFrom(window, { limit, isEnforced, scope: this.#scope, nowMs: this.#clock().getTime() }),
    );
  }
}

interface Hit {
  readonly scope: BurstScope;
  readonly limit: number;
  readonly isEnforced: boolean;
  readonly nowMs: number;
}

function burstStateFrom({ hits, waitMs }: Window, { scope, limit, isEnforced, nowMs }: Hit) {
  return {
    refused: isEnforced && hits > limit,
    scope,
    limit,
    /** Hits allowed now; at least 0. */
    remaining: Math.max(0, limit - hits),
    /** Unix seconds at which more hits are allowed, if there are none until then. */
    resetAt: Math.ceil((nowMs + waitMs) / 1000),
    /** Whole seconds until `resetAt`, rounded up; at least 1. */
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  };
}

/** A caller's burst limit after a hit. */
export type BurstState = Readonly<ReturnType<typeof burstStateFrom>>;

/** Hits count for this long, end exclusive (specification "Burst limit"). */
export const WINDOW_MS = 60_000;

/** Hits in the last 60 seconds, including the newest. */
export interface Window {
  /** At most the limit plus one. */
  readonly hits: number;
  /** Milliseconds, above 0, until a hit finds more room than the newest did, if there are none until then. */
  readonly waitMs: number;
}

/** Counts hits by name over the last 60 seconds. */
export interface WindowCounter {
  /** Counts a hit, always, and returns its window. */
  hit(name: string, limit: number): Awaitable<Window>;
  /** For operators; undefined if it counts correctly. */
  readonly problem?: HealthProblem | undefined;
  close(): Promise<void>;
}

/** Options of the memory counter, then of Redis. */
export const COUNTER_OPTIONS = {
  /** Organizations, keys per route, addresses. */
  namesMax: 200_000,
  /** Memory for them; large limits need more. */
  bytesMax: 64 * 1024 * 1024,
  /** Larger: requests wait longer for a Redis that hangs. Smaller: a busy one counts as failed. */
  timeoutMs: 250,
  /** For a connection. */
  connectTimeoutMs: 2_000,
  /** Maximum wait between reconnection attempts. */
  reconnectMsMax: 2_000,
  /** Pause after a failure, so that requests don't all wait for the timeout. */
  pauseMs: 1_000,
};
export type CounterOptions = Readonly<typeof COUNTER_OPTIONS>;

/** Approximate memory per name besides its times. */
const NAME_BYTES = 300;

/**
 * Windows in memory. Above `namesMax` or `bytesMax` the least recently hit names are dropped; their limit restarts.
 * Names are organizations, keys and client addresses (IPv6: /64), never text from a client.
 */
export class MemoryCounter implements WindowCounter {
  readonly #clock: () => Date;
  readonly #options: Pick<CounterOptions, 'namesMax' | 'bytesMax'>;
  /** Least recently hit first. */
  readonly #names = new Map<string, HitTimes>();
  #bytes = 0;

  constructor(clock: () => Date, options: Pick<CounterOptions, 'namesMax' | 'bytesMax'>) {
    this.#clock = clock;
    this.#options = options;
  }

  get size(): number {
    return this.#names.size;
  }

  /** Approximate. */
  get bytes(): number {
    return this.#bytes;
  }

  hit(name: string, limit: number): Window {
    const nowMs = this.#clock().getTime();
    const times = this.#remove(name) ?? new HitTimes();
    const window = times.hit(nowMs, limit);
    this.#names.set(name, times);
    this.#bytes += NAME_BYTES + times.bytes;
    this.#forgetIdle(nowMs);
    this.#keepWithin();
    return window;
  }

  async close(): Promise<void> {
    this.#names.clear();
    this.#bytes = 0;
  }

  #remove(name: string): HitTimes | undefined {
    const times = this.#names.get(name);
    if (times === undefined) return undefined;
    this.#names.delete(name);
    this.#bytes -= NAME_BYTES + times.bytes;
    return times;
  }

  /** At most two per hit, so the map shrinks faster than it grows and no hit takes long. */
  #forgetIdle(nowMs: number): void {
    for (let round = 0; round < 2; round += 1) {
      const [name, times] = this.#names.entries().next().value ?? [];
      if (name === undefined || times?.isIdle(nowMs) !== true) return;
      this.#remove(name);
    }
  }

  /** Never drops the newest name. */
  #keepWithin(): void {
    const { namesMax, bytesMax } = this.#options;
    if (this.#names.size <= namesMax && this.#bytes <= bytesMax) return;
    for (const name of this.#names.keys()) {
      if (this.#names.size === 1 || (this.#names.size <= namesMax && this.#bytes <= bytesMax)) return;
      this.#remove(name);
    }
  }
}

const CAPACITY_MIN = 4;

/**
 * Times of a name's newest hits, oldest first; at most `limit`, except shortly after it was lowered.
 * If the clock goes backwards the newest hit counts as made now, so setting it back frees nothing and blocks nobody for
 * longer than a window.
 */
class HitTimes {
  /** A ring; the oldest is at `start`. */
  #times = new Float64Array(CAPACITY_MIN);
  #start = 0;
  #length = 0;
  /** Milliseconds by which the clock is behind the stored times. */
  #behindMs = 0;
  #newest = Number.NEGATIVE_INFINITY;

  get bytes(): number {
    return this.#times.byteLength;
  }

  hit(nowMs: number, limit: number): Window {
    const now = Math.max(nowMs + this.#behindMs, this.#newest);
    this.#behindMs = now - nowMs;
    this.#newest = now;
    this.#forget(now - WINDOW_MS);
    const hits = Math.min(this.#length, limit) + 1;
    this.#add(now, limit);
    return { hits, waitMs: this.#at(Math.max(0, this.#length - limit)) + WINDOW_MS - now };
  }

  isIdle(nowMs: number): boolean {
    return this.#newest + WINDOW_MS <= nowMs + this.#behindMs;
  }

  #at(index: number): number {
    return this.#times[(this.#start + index) % this.#times.length] ?? 0;
  }

  #forget(until: number): void {
    while (this.#length > 0 && this.#at(0) <= until) this.#dropOldest();
  }

  #dropOldest(): void {
    this.#start = (this.#start + 1) % this.#times.length;
    this.#length -= 1;
  }

  #add(now: number, limit: number): void {
    if (this.#length >= limit) this.#dropOldest();
    else if (this.#length === this.#times.length) this.#grow(limit);
    this.#times[(this.#start + this.#length) % this.#times.length] = now;
    this.#length += 1;
  }

  #grow(limit: number): void {
    const times = new Float64Array(Math.min(limit, 2 * this.#times.length));
    for (let index = 0; index < this.#length; index += 1) times[index] = this.#at(index);
    this.#times = times;
    this.#start = 0;
  }
}
