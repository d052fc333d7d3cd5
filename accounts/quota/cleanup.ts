import type { Kysely } from 'kysely';
import type { BaseLogger } from 'pino';
import type { ControlTables } from '../../database/tables.ts';
import { addDays, type Day, dayFromDate } from '../../schemas/day.ts';
import { messageFromError } from '../../schemas/errors.ts';

export interface CleanupOptions {
  /** Days of usage to keep beside today's; reports on a year need 366. */
  readonly usageDays: number;
  /** Rows deleted at once: more keep other writers waiting longer. */
  readonly rowsAtOnce: number;
}

/** Reservations of yesterday may still be released; older ones are not under way any more. */
const IDEMPOTENCY_DAYS = 1;
/** Steps of one clean-up at most; what is left then goes in the next hour's. */
const ROUNDS_MAX = 1000;

/**
 * Removes usage and Idempotency-Keys of past days. It starts with the first reservation of an hour and works in small steps
 * between the requests. Every process that serves does it; two at once do no harm.
 */
export class Cleanup {
  readonly #database: Kysely<ControlTables>;
  readonly #log: Pick<BaseLogger, 'warn'>;
  readonly #options: CleanupOptions;
  #hour = '';
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(database: Kysely<ControlTables>, log: Pick<BaseLogger, 'warn'>, options: CleanupOptions) {
    this.#database = database;
    this.#log = log;
    this.#options = options;
  }

  /** Starts a clean-up where `now` is in another hour than the last one. */
  at(now: Date): void {
    const hour = now.toISOString().slice(0, 'YYYY-MM-DDTHH'.length);
    if (hour === this.#hour) return;
    this.#hour = hour;
    this.#running = this.#running.then(() => this.#clean(dayFromDate(now)));
  }

  /** Resolves when nothing is being deleted any more. Never rejects. */
  idle(): Promise<void> {
    return this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #clean(today: Day): Promise<void> {
    try {
      await this.#repeat(() => this.#deleteKeys(addDays(today, -IDEMPOTENCY_DAYS)));
      await this.#repeat(() => this.#deleteUsage(addDays(today, -this.#options.usageDays)));
    } catch (error) {
      this.#log.warn({ reason: messageFromError(error) }, 'usage of days gone by could not be removed');
    }
  }

  async #repeat(step: () => Promise<bigint>): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX && !this.#isClosed; round += 1) {
      if ((await step()) < this.#options.rowsAtOnce) return;
      await new Promise((resolve) => setImmediate(resolve)); // Requests come first.
    }
  }

  async #deleteKeys(before: Day): Promise<bigint> {
    const { numDeletedRows } = await this.#database
      .deleteFrom('idempotency_keys')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('day', 'api_key_id', 'key', 'request'),
          'in',
          selectFrom('idempotency_keys')
            .select(['day', 'api_key_id', 'key', 'request'])
            .where('day', '<', before)
            .limit(this.#options.rowsAtOnce)
            .$asTuple('day', 'api_key_id', 'key', 'request'),
        ),
      )
      .executeTakeFirstOrThrow();
    return numDeletedRows;
  }

  async #deleteUsage(before: Day): Promise<bigint> {
    const { numDeletedRows } = await this.#database
      .deleteFrom('daily_usage')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('organization_id', 'day'),
          'in',
          selectFrom('daily_usage')
            .select(['organization_id', 'day'])
            .where('day', '<', before)
            .limit(this.#options.rowsAtOnce)
            .$asTuple('organization_id', 'day'),
        ),
      )
      .executeTakeFirstOrThrow();
    return numDeletedRows;
  }
}
