import type { Kysely } from 'kysely';
import type { BaseLogger } from 'pino';
import { encodeTime } from 'ulid';
import type { ControlTables } from '../../database/tables.ts';
import { messageFromError } from '../../schemas/errors.ts';

/** For how long deliveries are kept after they ended, and events for replays (specification "Retries"). */
export const KEPT_DAYS = 30;

const DAY_MS = 86_400_000;
/** Steps of one clean-up at most; what is left then goes in the next hour's. */
const ROUNDS_MAX = 1000;
/** Characters of an id that tell its time. */
const ID_TIME_LENGTH = 10;

export interface WebhookCleanupOptions {
  /** Deliveries or events removed at once: more keep other writers waiting longer. */
  readonly rowsAtOnce: number;
}

export const WEBHOOK_CLEANUP_OPTIONS: WebhookCleanupOptions = { rowsAtOnce: 500 };

/**
 * Removes deliveries, their attempts, and events that are older than they are kept, in small steps. What waits stays, however
 * old, and so does what it tells. Every process that delivers does it; two at once do no harm.
 */
export class WebhookCleanup {
  readonly #database: Kysely<ControlTables>;
  readonly #log: Pick<BaseLogger, 'warn'>;
  readonly #options: WebhookCleanupOptions;
  #hour = '';
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(database: Kysely<ControlTables>, log: Pick<BaseLogger, 'warn'>, options = WEBHOOK_CLEANUP_OPTIONS) {
    this.#database = database;
    this.#log = log;
    this.#options = options;
  }

  /** Starts a clean-up where `now` is in another hour than the last one. */
  at(now: Date): void {
    const hour = now.toISOString().slice(0, 'YYYY-MM-DDTHH'.length);
    if (hour === this.#hour) return;
    this.#hour = hour;
    this.#running = this.#running.then(() => this.#clean(new Date(now.getTime() - KEPT_DAYS * DAY_MS)));
  }

  /** Resolves when nothing is being deleted any more. Never rejects. */
  idle(): Promise<void> {
    return this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #clean(before: Date): Promise<void> {
    try {
      await this.#repeat(() => this.#deleteDeliveries(before));
      await this.#repeat(() => this.#deleteEvents(before));
    } catch (error) {
      this.#log.warn({ reason: messageFromError(error) }, 'webhook deliveries of days gone by could not be removed');
    }
  }

  async #repeat(step: () => Promise<number>): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX && !this.#isClosed; round += 1) {
      if ((await step()) < this.#options.rowsAtOnce) return;
      await new Promise((resolve) => setImmediate(resolve)); // Requests come first.
    }
  }

  async #deleteDeliveries(before: Date): Promise<number> {
    const rows = await this.#database
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('id', '<', idAt('dlv_', before)) // What is older, by the primary key; the rest proves it.
      .where('state', '<>', 'waiting')
      .where('finished_at', '<', before.getTime())
      .orderBy('id')
      .limit(this.#options.rowsAtOnce)
      .execute();
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await this.#database.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('webhook_attempts').where('delivery_id', 'in', ids).execute();
      await transaction
        .deleteFrom('webhook_deliveries')
        .where('id', 'in', ids)
        .where('state', '<>', 'waiting')
        .execute();
    });
    return ids.length;
  }

  /** Events that no delivery tells of any more. */
  async #deleteEvents(before: Date): Promise<number> {
    const { numDeletedRows } = await this.#database
      .deleteFrom('webhook_events')
      .where('id', 'in', (query) =>
        query
          .selectFrom('webhook_events')
          .select('id')
          .where('id', '<', idAt('evt_', before))
          .where('occurred_at', '<', before.getTime())
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('webhook_deliveries')
                  .select('webhook_deliveries.id')
                  .whereRef('webhook_deliveries.event_id', '=', 'webhook_events.id'),
              ),
            ),
          )
          .orderBy('id')
          .limit(this.#options.rowsAtOnce),
      )
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }
}

/** The first id that can have been made at an instant: ids are ULIDs, which begin with their time. */
function idAt(prefix: string, at: Date): string {
  return `${prefix}${encodeTime(Math.max(0, at.getTime()), ID_TIME_LENGTH)}`;
}
