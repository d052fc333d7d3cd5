import { type BackOff, doublingMs } from '../../../runtime/retry.ts';
import type { ClaimedDelivery, Release, Settlement, SettleResult } from '../queue/delivery.ts';
import type { DispatcherDeps } from './dispatcher-options.ts';

/** At shutdown: tries to write reports, and the pause between them. */
const LAST_TRIES_MAX = 3;
const RETRY_MS = 200;

/** Ended attempts and released claims that are not written yet. */
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

  /** Until it is written, this dispatcher must not attempt the delivery again. */
  holds(deliveryId: string): boolean {
    const isSameDelivery = ({ delivery }: Settlement | Release) => delivery.id === deliveryId;
    return this.#settlements.some(isSameDelivery) || this.#releases.some(isSameDelivery);
  }

  settle(settlement: Settlement): void {
    this.#settlements.push(settlement);
  }

  /** @param dueAt when a dispatcher may claim it */
  release({ id, attempt }: ClaimedDelivery, dueAt: Date): void {
    this.#releases.push({ delivery: { id, attempt }, dueAt });
  }

  /** Writes all in one transaction; on failure they stay. */
  async write(): Promise<SettleResult> {
    const { queue, name: dispatcher, clock } = this.#deps;
    const [settlements, releases] = [[...this.#settlements], [...this.#releases]];
    const result = await queue.settle({ dispatcher, now: clock(), settlements, releases });
    this.#settlements.splice(0, settlements.length);
    this.#releases.splice(0, releases.length);
    return result;
  }

  /** At shutdown. Claims left by a failing database expire. */
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

const BACK_OFF: BackOff = { firstMs: 200, maxMs: 10_000 };

interface Work {
  readonly isDue: () => boolean;
  /** Rejects if the database fails. */
  readonly run: () => Promise<void>;
  /** Between two runs, so that batches share a transaction. */
  readonly pauseMs: number;
}

/** Repeats work until stopped. Failures are reported and retried after growing pauses. */
export class WorkLoop {
  readonly #work: Work;
  readonly #deps: Pick<DispatcherDeps, 'sleep' | 'onEvent'>;
  #awake = Promise.withResolvers<void>();
  #failures = 0;

  constructor(work: Work, deps: Pick<DispatcherDeps, 'sleep' | 'onEvent'>) {
    this.#work = work;
    this.#deps = deps;
  }

  wake(): void {
    this.#awake.resolve();
  }

  /** Soon after the signal is aborted and the loop is woken. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#awake = Promise.withResolvers();
      if (this.#work.isDue()) await this.#runOnce(signal);
      if (this.#work.pauseMs > 0) await this.#deps.sleep(this.#work.pauseMs, signal);
      if (!this.#work.isDue() && !signal.aborted) await this.#awake.promise;
    }
  }

  async #runOnce(signal: AbortSignal): Promise<void> {
    try {
      await this.#work.run();
      if (this.#failures > 0) this.#deps.onEvent({ type: 'recovered' });
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      const retryMs = doublingMs(this.#failures, BACK_OFF);
      this.#deps.onEvent({ type: 'trouble', error, retryMs });
      await this.#deps.sleep(retryMs, signal);
    }
  }
}
