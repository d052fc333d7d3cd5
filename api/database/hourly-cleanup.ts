import { type RawBuilder, sql } from 'kysely';
import type { BaseLogger } from 'pino';
import { messageFromError } from '../../runtime/errors.ts';
import type { ControlTables, Database } from './tables/tables.ts';

export interface HourlyCleanupOptions {
  /** Rows that a step removes at once: more keep other writers waiting longer. */
  readonly rowsAtOnce: number;
  /** What can't be removed, for the log. */
  readonly failure: string;
  readonly log: Pick<BaseLogger, 'warn'>;
}

/** Removes some rows, at most so many; resolves to how many: fewer where none is left. */
export type CleanupStep = (rowsMax: number) => Promise<number>;

/** The step that removes what meets a condition, in its order if it names one, from a table whose rows these columns name. */
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

/** Times that a step is repeated at most; what is left then goes in the next hour's. */
const ROUNDS_MAX = 1000;

/**
 * Removes rows that are too old, once an hour and in small steps between the requests. Every process may do it; two at once do no
 * harm. It never rejects: what fails is told and tried again in the next hour.
 */
export class HourlyCleanup {
  readonly #steps: (now: Date) => readonly CleanupStep[];
  readonly #options: HourlyCleanupOptions;
  #hour = Number.NaN;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** @param steps of a clean-up at `now`, in order; each is repeated until nothing is left */
  constructor(steps: (now: Date) => readonly CleanupStep[], options: HourlyCleanupOptions) {
    this.#steps = steps;
    this.#options = options;
  }

  /** Starts a clean-up where `now` is in another hour than the last one. */
  at(now: Date): void {
    const hour = Math.floor(now.getTime() / HOUR_MS);
    if (hour === this.#hour) return;
    this.#hour = hour;
    this.#running = this.#running.then(() => this.#clean(now));
  }

  /** Resolves when nothing is being removed any more. */
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
      await new Promise((resolve) => setImmediate(resolve)); // Requests come first.
    }
  }
}
