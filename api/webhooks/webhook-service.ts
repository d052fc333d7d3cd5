import type { BaseLogger } from 'pino';
import { repeat } from '../../runtime/repeat.ts';
import { type Mailer, NOTICES_PACE } from '../accounts/mailer.ts';
import type { HourlyCleanup } from '../database/hourly-cleanup.ts';
import type { Database } from '../database/tables/tables.ts';
import type { Dispatcher } from './delivery/dispatcher.ts';
import { followPlans, type IsOffered, sendNotices } from './endpoints/suspension.ts';
import type { EventPublisher } from './events/publish-events.ts';

export interface WebhookServiceOptions {
  /** Between two polls of the catalog. */
  readonly catalogPollMs: number;
  /** Longest wait after failed polls; it doubles from `catalogPollMs`. */
  readonly catalogRetryMaxMs: number;
}

const NOTIFYING = { ...NOTICES_PACE, trouble: 'owners could not be notified of their endpoints' };
/** A change of plan must take effect within 5 seconds. */
const FOLLOWING = { everyMs: 3_000, retryMaxMs: 30_000, trouble: 'changed plans could not be applied to endpoints' };

export interface WebhookServiceDeps {
  readonly database: Database;
  readonly dispatcher: Pick<Dispatcher, 'start' | 'stop' | 'wake'>;
  readonly publisher: Pick<EventPublisher, 'poll'>;
  readonly cleanup: Pick<HourlyCleanup, 'at' | 'close'>;
  readonly mailer: Mailer;
  readonly isOffered: IsOffered;
  readonly clock: () => Date;
  /** Resolves after a time, or once the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: Pick<BaseLogger, 'info' | 'warn' | 'error'>;
}

/**
 * Follows the catalog and the plans, notifies owners, and sends due deliveries. Several processes may share a
 * PostgreSQL database.
 */
export class WebhookService {
  readonly #options: WebhookServiceOptions;
  readonly #deps: WebhookServiceDeps;
  readonly #stop = new AbortController();
  #loops: Promise<unknown> = Promise.resolve();

  constructor(options: WebhookServiceOptions, deps: WebhookServiceDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  start(): void {
    const { catalogPollMs: everyMs, catalogRetryMaxMs: retryMaxMs } = this.#options;
    const deps = { ...this.#deps, signal: this.#stop.signal };
    this.#deps.dispatcher.start();
    const publishing = { everyMs, retryMaxMs, trouble: 'published changes could not be turned into events' };
    this.#loops = Promise.all([
      repeat(() => this.#publish(), publishing, deps),
      repeat(() => this.#followPlans(), FOLLOWING, deps),
      // On its own, because a mail server may take long.
      repeat(async () => void (await sendNotices(deps, deps.signal)), NOTIFYING, deps),
    ]);
  }

  /** Finishes work under way within the dispatcher's time limit. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const { dispatcher, cleanup } = this.#deps;
    await Promise.all([this.#loops, dispatcher.stop(), cleanup.close()]);
  }

  async #publish(): Promise<void> {
    if ((await this.#deps.publisher.poll(this.#stop.signal)) === 'published') this.#deps.dispatcher.wake();
  }

  async #followPlans(): Promise<void> {
    const { log, dispatcher, cleanup, clock } = this.#deps;
    cleanup.at(clock());
    const { suspended, resumed } = await followPlans(this.#deps);
    if (resumed.length > 0) {
      log.info({ endpoint_ids: resumed }, 'the plan has webhooks again: endpoints get a ping');
      dispatcher.wake();
    }
    if (suspended.length > 0)
      log.info({ endpoint_ids: suspended }, 'the plan no longer has webhooks: endpoints are suspended');
  }
}
