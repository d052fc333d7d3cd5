import { type Kysely, sql } from 'kysely';
import type { BaseLogger } from 'pino';
import { messageFromError } from '../../../runtime/errors.ts';
import type { ControlTables } from '../../database/tables/tables.ts';

/** Credentials written with one statement; SQLite allows 32,766 parameters, each takes two. */
const ROWS_PER_STATEMENT = 500;

/** Where it is kept: both tables have the columns `id` and `last_used_at`. */
export type LastUsedTable = 'api_keys' | 'connections';

/**
 * When each key or connection was last used, written every few seconds for all together. It helps people to find those that nobody
 * uses any more; what a killed process had not written yet is lost.
 */
export class LastUsed {
  readonly #database: Kysely<ControlTables>;
  readonly #log: Pick<BaseLogger, 'warn'>;
  readonly #table: LastUsedTable;
  readonly #timer: NodeJS.Timeout;
  #seen = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();

  constructor(
    database: Kysely<ControlTables>,
    log: Pick<BaseLogger, 'warn'>,
    { intervalMs, table }: { readonly intervalMs: number; readonly table: LastUsedTable },
  ) {
    this.#database = database;
    this.#log = log;
    this.#table = table;
    this.#timer = setInterval(() => void this.flush(), intervalMs).unref();
  }

  note(credentialId: string, now: Date): void {
    this.#seen.set(credentialId, now.getTime());
  }

  /** Writes what was noted. Never rejects: a failure is logged, and the notes are dropped, so that memory doesn't grow. */
  flush(): Promise<void> {
    const seen = [...this.#seen];
    this.#seen = new Map();
    this.#writing = this.#writing.then(() => this.#write(seen));
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #write(seen: readonly (readonly [string, number])[]): Promise<void> {
    try {
      for (let from = 0; from < seen.length; from += ROWS_PER_STATEMENT)
        await this.#update(seen.slice(from, from + ROWS_PER_STATEMENT));
    } catch (error) {
      this.#log.warn({ reason: messageFromError(error) }, 'the last use of credentials could not be written');
    }
  }

  async #update(seen: readonly (readonly [string, number])[]): Promise<void> {
    const rows = seen.map(([id, usedAt]) => sql`(${id}, cast(${usedAt} as bigint))`);
    const table = sql.table(this.#table);
    await sql`
      with seen (id, used_at) as (values ${sql.join(rows)})
      update ${table} set last_used_at = (select used_at from seen where seen.id = ${table}.id)
      where id in (select id from seen)`.execute(this.#database);
  }
}
