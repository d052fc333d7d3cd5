import { type Awaitable, mapAwaitable } from '../../../runtime/awaitable.ts';
import type { HealthProblem } from '../../../runtime/health-problem.ts';

/** Whose limit it is: the organization's burst limit, or that of one key on one route. */
export type BurstScope = 'organization' | 'route';

/** A rolling limit of requests per minute; every hit counts, refused ones too (specification "Burst limit"). */
export class RateLimiter {
  readonly #counter: WindowCounter;
  readonly #clock: () => Date;
  readonly #scope: BurstScope;

  /** Limiters of different scopes share a counter without sharing counts. */
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
    /** More hits than the limit within the window, and limits are enforced. */
    refused: isEnforced && hits > limit,
    scope,
    limit,
    /** Hits that are allowed now; 0 at least. */
    remaining: Math.max(0, limit - hits),
    /** Unix seconds at which more hits will be allowed than now, if there are none until then. */
    resetAt: Math.ceil((nowMs + waitMs) / 1000),
    /** Full seconds after which that is so, 1 at least; a second less is too little. */
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  };
}

/** Where a caller stands after a hit. */
export type BurstState = Readonly<ReturnType<typeof burstStateFrom>>;

/** The time over which requests are counted (specification "Burst limit"). A hit counts until so long after it, not at that instant. */
export const WINDOW_MS = 60_000;

/** What the hits of the last 60 seconds, the newest included, say about a limit. */
export interface Window {
  /** How many there are; beyond the limit only one more is told. */
  readonly hits: number;
  /** Milliseconds, above 0, until a hit finds more room than the newest one left, if there are none until then. */
  readonly waitMs: number;
}

/** Counts hits by name over the last 60 seconds. Adapters: this process's memory, or Redis for all replicas together. */
export interface WindowCounter {
  /** Counts one hit now, always, and tells what the window that ends now says about this limit. */
  hit(name: string, limit: number): Awaitable<Window>;
  /** For operators: why it does not count as it should; undefined: it does, or it can't fail. */
  readonly problem?: HealthProblem | undefined;
  close(): Promise<void>;
}

/** Of the counters: those of this process's memory first, then those of Redis. */
export const COUNTER_OPTIONS = {
  /** Names counted at once: organizations, keys with a route, and addresses. */
  namesMax: 200_000,
  /** Memory for them; more is needed where limits are large. */
  bytesMax: 64 * 1024 * 1024,
  /** For an answer. Larger: requests wait longer for a Redis that hangs. Smaller: a busy Redis is given up too soon. */
  timeoutMs: 250,
  /** For a connection. */
  connectTimeoutMs: 2_000,
  /** Longest wait between two attempts to connect again. */
  reconnectMsMax: 2_000,
  /** How long Redis is not asked after it failed, so that not every request waits for its timeout. */
  pauseMs: 1_000,
};
export type CounterOptions = Readonly<typeof COUNTER_OPTIONS>;

/** What a name takes beside its times, roughly: the name, its entry, two objects. */
const NAME_BYTES = 300;

/**
 * Windows in this process's memory. Names without a hit in the last minute are forgotten. Of more names or bytes than allowed the
 * least recently hit go too, whose limit then starts anew. Names are organizations and keys, and addresses of clients without a key
 * (IPv6: /64), never a text that somebody has sent.
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

  /** Bytes taken, roughly. */
  get bytes(): number {
    return this.#bytes;
  }

  hit(name: string, limit: number): Window {
    const nowMs = this.#clock().getTime();
    const times = this.#take(name) ?? new HitTimes();
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

  #take(name: string): HitTimes | undefined {
    const times = this.#names.get(name);
    if (times === undefined) return undefined;
    this.#names.delete(name);
    this.#bytes -= NAME_BYTES + times.bytes;
    return times;
  }

  /** Each hit removes two idle names at most, so the map shrinks faster than it grows and no single hit takes long. */
  #forgetIdle(nowMs: number): void {
    for (let round = 0; round < 2; round += 1) {
      const [name, times] = this.#names.entries().next().value ?? [];
      if (name === undefined || times?.isIdle(nowMs) !== true) return;
      this.#take(name);
    }
  }

  /** The name that was hit last stays in any case. */
  #keepWithin(): void {
    const { namesMax, bytesMax } = this.#options;
    if (this.#names.size <= namesMax && this.#bytes <= bytesMax) return;
    for (const name of this.#names.keys()) {
      if (this.#names.size === 1 || (this.#names.size <= namesMax && this.#bytes <= bytesMax)) return;
      this.#take(name);
    }
  }
}

const CAPACITY_MIN = 4;

/**
 * When the newest hits of one name were, oldest first. More than the limit are never needed: whether there is room, and when,
 * depends on the last `limit` hits alone. After a lower limit the older ones stay until they leave the window.
 *
 * Time never goes back in here: where the clock does, the newest hit counts as made just now, and time goes on from it. So a
 * clock that is set back frees nothing and holds nobody longer than a window, whatever the step.
 */
class HitTimes {
  /** A ring: the oldest is at `start`. */
  #times = new Float64Array(CAPACITY_MIN);
  #start = 0;
  #length = 0;
  /** What the clock is behind the times kept here, in milliseconds. */
  #behindMs = 0;
  #newest = Number.NEGATIVE_INFINITY;

  /** Bytes of the times themselves. */
  get bytes(): number {
    return this.#times.byteLength;
  }

  /** Adds a hit at `nowMs` of the clock. */
  hit(nowMs: number, limit: number): Window {
    const now = Math.max(nowMs + this.#behindMs, this.#newest);
    this.#behindMs = now - nowMs;
    this.#newest = now;
    this.#forget(now - WINDOW_MS);
    const hits = Math.min(this.#length, limit) + 1;
    this.#add(now, limit);
    return { hits, waitMs: this.#at(Math.max(0, this.#length - limit)) + WINDOW_MS - now };
  }

  /** Whether all hits have left the window at `nowMs`. */
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
