import { type BackOff, doublingMs } from '../../../runtime/retry.ts';
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

  /** Whether something about a delivery is still to be written: until then this dispatcher must not begin it anew. */
  holds(deliveryId: string): boolean {
    const isOfIt = ({ delivery }: Settlement | Release) => delivery.id === deliveryId;
    return this.#settlements.some(isOfIt) || this.#releases.some(isOfIt);
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

/** After failures of the database. */
const BACK_OFF: BackOff = { firstMs: 200, maxMs: 10_000 };

/** Work to be done whenever there is some. */
interface Work {
  readonly isDue: () => boolean;
  /** Rejects where the database doesn't do its work. */
  readonly run: () => Promise<void>;
  /** Between two runs: what comes meanwhile shares a transaction. */
  readonly pauseMs: number;
}

/** Runs work again and again, until it is stopped; while it fails it is tried less and less often, and that is reported. */
export class WorkLoop {
  readonly #work: Work;
  readonly #deps: Pick<DispatcherDeps, 'sleep' | 'onEvent'>;
  #awake = Promise.withResolvers<void>();
  #failures = 0;

  constructor(work: Work, deps: Pick<DispatcherDeps, 'sleep' | 'onEvent'>) {
    this.#work = work;
    this.#deps = deps;
  }

  /** There may be work. */
  wake(): void {
    this.#awake.resolve();
  }

  /** Resolves soon after the signal is aborted and the loop is woken. */
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
