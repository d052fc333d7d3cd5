import type { BaseLogger } from 'pino';
import { type RepeatOptions, repeat } from '../../runtime/repeat.ts';
import type { Mailer } from '../accounts/mailer.ts';
import type { HourlyCleanup } from '../database/hourly-cleanup.ts';
import type { Database } from '../database/tables/tables.ts';
import type { Dispatcher } from './delivery/dispatcher.ts';
import { followPlans, type IsOffered, sendNotices } from './endpoints/suspension.ts';
import type { EventPublisher } from './events/publish-events.ts';

export interface WebhookServiceOptions {
  /** Between two looks at the catalog, in milliseconds. */
  readonly catalogPollMs: number;
  /** Longest wait after looks at the catalog that failed; it doubles from `catalogPollMs`. */
  readonly catalogRetryMaxMs: number;
}

/** Between two looks at plans and notices: a change of plan is promised to hold within 5 seconds. */
const PLANS_MS = 3_000;
const PLANS_RETRY_MAX_MS = 30_000;
/** Between two looks for owners who are to be told. */
const NOTICES_MS = 3_000;
/** A mail server that refuses is not asked more often: for some addresses it always will. */
const NOTICES_RETRY_MAX_MS = 10 * 60_000;

export interface WebhookServiceDeps {
  readonly database: Database;
  readonly dispatcher: Pick<Dispatcher, 'start' | 'stop' | 'wake'>;
  readonly publisher: Pick<EventPublisher, 'look'>;
  readonly cleanup: Pick<HourlyCleanup, 'at' | 'close'>;
  readonly mailer: Mailer;
  readonly isOffered: IsOffered;
  readonly clock: () => Date;
  /** Resolves after a time, or as soon as the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: Pick<BaseLogger, 'info' | 'warn' | 'error'>;
}

/**
 * All that sends webhooks, in one process: follows the catalog and the plans, tells owners, sends what is due. Several may run on
 * one PostgreSQL database; each does a share.
 */
export class WebhookService {
  readonly #options: WebhookServiceOptions;
  readonly #deps: WebhookServiceDeps;
  readonly #stop = new AbortController();
  #loops: Promise<void> = Promise.resolve();

  constructor(options: WebhookServiceOptions, deps: WebhookServiceDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Begins to work, until {@link stop}. */
  start(): void {
    const { catalogPollMs: everyMs, catalogRetryMaxMs: retryMaxMs } = this.#options;
    this.#deps.dispatcher.start();
    this.#loops = Promise.all([
      this.#repeat(() => this.#publish(), {
        everyMs,
        retryMaxMs,
        trouble: 'published changes could not be turned into events',
      }),
      this.#repeat(() => this.#followPlans(), {
        everyMs: PLANS_MS,
        retryMaxMs: PLANS_RETRY_MAX_MS,
        trouble: 'the plans of endpoints could not be followed',
      }),
      this.#repeat(() => this.#sendNotices(), {
        everyMs: NOTICES_MS,
        retryMaxMs: NOTICES_RETRY_MAX_MS,
        trouble: 'owners could not be told of their endpoints',
      }),
    ]).then(() => undefined);
  }

  /** Ends all work: what is under way is finished within the dispatcher's time. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const { dispatcher, cleanup } = this.#deps;
    await Promise.all([this.#loops, dispatcher.stop(), cleanup.close()]);
  }

  async #publish(): Promise<void> {
    if ((await this.#deps.publisher.look(this.#stop.signal)) === 'published') this.#deps.dispatcher.wake();
  }

  async #followPlans(): Promise<void> {
    const { log, dispatcher, cleanup, clock } = this.#deps;
    cleanup.at(clock());
    const { suspended, resumed } = await followPlans(this.#deps);
    if (resumed.length > 0) {
      log.info({ endpoint_ids: resumed }, 'the plan has webhooks again: endpoints are pinged');
      dispatcher.wake();
    }
    if (suspended.length > 0) log.info({ endpoint_ids: suspended }, 'the plan has no webhooks any more');
  }

  /** Beside all else: a mail server may take long. */
  async #sendNotices(): Promise<void> {
    await sendNotices(this.#deps, this.#stop.signal);
  }

  #repeat(work: () => Promise<void>, options: RepeatOptions): Promise<void> {
    return repeat(work, options, { ...this.#deps, signal: this.#stop.signal });
  }
}
