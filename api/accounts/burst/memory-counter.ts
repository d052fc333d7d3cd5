import { WINDOW_MS, type Window, type WindowCounter } from './rate-limiter.ts';

export interface MemoryCounterOptions {
  /** Names counted at once: organizations, keys with a route, and addresses. */
  readonly namesMax: number;
  /** Memory for them; more is needed where limits are large. */
  readonly bytesMax: number;
}

/** What a name takes beside its times, roughly: the name, its entry, two objects. */
const NAME_BYTES = 300;

/**
 * Windows in this process's memory. Names without a hit in the last minute are forgotten. Of more names or bytes than allowed the
 * least recently hit go too, whose limit then starts anew. Names are organizations and keys, and addresses of clients without a key
 * (IPv6: /64), never a text that somebody has sent.
 */
export class MemoryCounter implements WindowCounter {
  readonly #clock: () => Date;
  readonly #options: MemoryCounterOptions;
  /** Least recently hit first. */
  readonly #names = new Map<string, HitTimes>();
  #bytes = 0;

  constructor(clock: () => Date, options: MemoryCounterOptions) {
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
export class HitTimes {
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
