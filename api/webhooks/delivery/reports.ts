import type { ClaimedDelivery, Release, Settlement, SettleResult } from '../queue/delivery.ts';
import type { DispatcherDeps } from './dispatcher-options.ts';

/** At the end, tries to write down what is known, and the pause between them. */
const LAST_TRIES_MAX = 3;
const RETRY_MS = 200;

/** What a dispatcher has still to write down: attempts that ended, and claims that it gives back. */
export class Reports {
  readonly #deps: Pick<DispatcherDeps, 'queue' | 'name' | 'clock' | 'sleep' | 'onEvent'>;
  readonly #settlements: Settlement[] = [];
  readonly #releases: Release[] = [];

  constructor(deps: Pick<DispatcherDeps, 'queue' | 'name' | 'clock' | 'sleep' | 'onEvent'>) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#settlements.length + this.#releases.length;
  }

  settle(settlement: Settlement): void {
    this.#settlements.push(settlement);
  }

  /** @param dueAt when somebody may claim it */
  release({ id, attempt }: ClaimedDelivery, dueAt: Date): void {
    this.#releases.push({ delivery: { id, attempt }, dueAt });
  }

  /** Writes all of it in one transaction; where that fails it stays. */
  async write(): Promise<SettleResult> {
    const { queue, name: dispatcher, clock } = this.#deps;
    const [settlements, releases] = [[...this.#settlements], [...this.#releases]];
    const result = await queue.settle({ dispatcher, now: clock(), settlements, releases });
    this.#settlements.splice(0, settlements.length);
    this.#releases.splice(0, releases.length);
    return result;
  }

  /** Writes what is left at the end, where the database lets it: claims end by themselves. */
  async writeLast(onResult: (result: SettleResult) => void): Promise<void> {
    for (let tries = 1; this.size > 0; tries += 1) {
      try {
        onResult(await this.write());
      } catch (error) {
        const retryMs = tries < LAST_TRIES_MAX ? RETRY_MS : 0;
        this.#deps.onEvent({ type: 'trouble', error, retryMs });
        if (retryMs === 0) return;
        await this.#deps.sleep(retryMs, new AbortController().signal);
      }
    }
  }
}
