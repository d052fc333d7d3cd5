import { WINDOW_SECONDS, type Window } from './window.ts';
import type { WindowCounter } from './window-counter.ts';

/**
 * Windows in this process's memory: 60 one-second buckets per name. Names without a hit in the last minute are forgotten. At
 * most `namesMax` are kept, the least recently hit go first; names are organizations and keys, never what a stranger sent.
 */
export class MemoryCounter implements WindowCounter {
  readonly #namesMax: number;
  /** Least recently hit first. */
  readonly #rings = new Map<string, Ring>();

  constructor({ namesMax }: { readonly namesMax: number }) {
    this.#namesMax = namesMax;
  }

  get size(): number {
    return this.#rings.size;
  }

  async hit(name: string, second: number): Promise<Window> {
    const ring = this.#rings.get(name) ?? { hits: new Uint32Array(WINDOW_SECONDS), second };
    this.#rings.delete(name);
    this.#rings.set(name, ring);
    this.#forgetIdle(second);
    turnTo(ring, second);
    const at = ring.second % WINDOW_SECONDS;
    ring.hits[at] = (ring.hits[at] ?? 0) + 1;
    return windowOf(ring);
  }

  async close(): Promise<void> {
    this.#rings.clear();
  }

  /** Every hit takes away at most two, so the map shrinks faster than it grows and no hit pays for all. */
  #forgetIdle(second: number): void {
    for (let round = 0; round < 2; round += 1) {
      const [name, ring] = this.#rings.entries().next().value ?? [];
      if (name === undefined || ring === undefined) return;
      if (ring.second + WINDOW_SECONDS > second && this.#rings.size <= this.#namesMax) return;
      this.#rings.delete(name);
    }
  }
}

interface Ring {
  /** The bucket of Unix second s is s modulo 60. */
  readonly hits: Uint32Array;
  /** The newest second; buckets of older ones than 59 before are cleared. */
  second: number;
}

/** The buckets, oldest first. */
function windowOf({ hits, second }: Ring): Window {
  const window: number[] = [];
  for (let step = 1; step <= WINDOW_SECONDS; step += 1) window.push(hits[(second + step) % WINDOW_SECONDS] ?? 0);
  return window;
}

/** Clears the buckets between the newest second and this one. A clock that was set back counts in the newest. */
function turnTo(ring: Ring, second: number): void {
  const passed = Math.min(second - ring.second, WINDOW_SECONDS);
  for (let step = 1; step <= passed; step += 1) ring.hits[(ring.second + step) % WINDOW_SECONDS] = 0;
  ring.second = Math.max(ring.second, second);
}
