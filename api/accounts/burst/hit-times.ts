import { WINDOW_MS, type Window } from './window.ts';

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
