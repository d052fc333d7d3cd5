import { type BurstState, burstStateFrom } from './window.ts';
import type { WindowCounter } from './window-counter.ts';

/** A rolling limit of requests per minute; every hit counts, refused ones too (SPEC "Burst rules"). */
export class RateLimiter {
  readonly #counter: WindowCounter;
  readonly #clock: () => Date;
  readonly #prefix: string;

  /** Limiters with different prefixes share a counter without sharing counts. */
  constructor(counter: WindowCounter, clock: () => Date, prefix: string) {
    this.#counter = counter;
    this.#clock = clock;
    this.#prefix = prefix;
  }

  async hit(name: string, how: { readonly limit: number; readonly isEnforced: boolean }): Promise<BurstState> {
    const second = Math.floor(this.#clock().getTime() / 1000);
    return burstStateFrom(await this.#counter.hit(`${this.#prefix}:${name}`, second), second, how);
  }
}
