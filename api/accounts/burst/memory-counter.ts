import { HitTimes } from './hit-times.ts';
import type { Window, WindowCounter } from './window.ts';

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
