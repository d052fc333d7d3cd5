import { type RawBuilder, sql } from 'kysely';
import type { BaseLogger } from 'pino';
import { messageFromError } from '../../runtime/errors.ts';
import type { ControlTables, Database } from './tables/tables.ts';

export interface HourlyCleanupOptions {
  /** Rows per step; more block other writers longer. */
  readonly rowsAtOnce: number;
  /** Log message of a failure. */
  readonly failure: string;
  readonly log: Pick<BaseLogger, 'warn'>;
}

/** Deletes up to `rowsMax` rows; fewer means that none are left. */
export type CleanupStep = (rowsMax: number) => Promise<number>;

/** Rows are identified by the columns of `key`. */
export function removeRows(
  database: Database,
  table: keyof ControlTables,
  { key, where }: { readonly key: readonly string[]; readonly where: RawBuilder<unknown> },
): CleanupStep {
  const [from, columns] = [sql.table(table), sql.join(key.map((name) => sql.ref(name)))];
  return async (rowsMax) => {
    const some = sql`select ${columns} from ${from} where ${where} limit ${rowsMax}`;
    const query = database.deleteFrom(table).where(sql<boolean>`(${columns}) in (${some})`);
    return Number((await query.executeTakeFirstOrThrow()).numDeletedRows);
  };
}

const HOUR_MS = 3_600_000;

/** Repetitions per step; the next hour deletes the rest. */
const ROUNDS_MAX = 1000;

/**
 * Deletes old rows hourly, in small steps; safe in several processes at once. Never rejects: failures are logged and
 * retried in the next hour.
 */
export class HourlyCleanup {
  readonly #steps: (now: Date) => readonly CleanupStep[];
  readonly #options: HourlyCleanupOptions;
  #hour = Number.NaN;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** @param steps in order; each is repeated until nothing is left */
  constructor(steps: (now: Date) => readonly CleanupStep[], options: HourlyCleanupOptions) {
    this.#steps = steps;
    this.#options = options;
  }

  at(now: Date): void {
    const hour = Math.floor(now.getTime() / HOUR_MS);
    if (hour === this.#hour) return;
    this.#hour = hour;
    this.#running = this.#running.then(() => this.#clean(now));
  }

  /** Resolves when no clean-up is running. */
  idle(): Promise<void> {
    return this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #clean(now: Date): Promise<void> {
    try {
      for (const step of this.#steps(now)) await this.#repeat(step);
    } catch (error) {
      this.#options.log.warn({ reason: messageFromError(error) }, this.#options.failure);
    }
  }

  async #repeat(step: CleanupStep): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX && !this.#isClosed; round += 1) {
      if ((await step(this.#options.rowsAtOnce)) < this.#options.rowsAtOnce) return;
      await new Promise((resolve) => setImmediate(resolve)); // Lets requests run first.
    }
  }
}
