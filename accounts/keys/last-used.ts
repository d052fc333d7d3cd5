import { type Kysely, sql } from 'kysely';
import type { BaseLogger } from 'pino';
import type { ControlTables } from '../../database/tables.ts';
import { messageFromError } from '../../schemas/errors.ts';

/** Keys written with one statement; SQLite allows 32,766 parameters, each key takes two. */
const KEYS_PER_STATEMENT = 500;

/**
 * When each key was last used, written every few seconds for all keys together. It helps people to find keys that nobody uses
 * any more; what a killed process had not written yet is lost.
 */
export class LastUsed {
  readonly #database: Kysely<ControlTables>;
  readonly #log: Pick<BaseLogger, 'warn'>;
  readonly #timer: NodeJS.Timeout;
  #seen = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();

  constructor(
    database: Kysely<ControlTables>,
    log: Pick<BaseLogger, 'warn'>,
    { intervalMs }: { readonly intervalMs: number },
  ) {
    this.#database = database;
    this.#log = log;
    this.#timer = setInterval(() => void this.flush(), intervalMs).unref();
  }

  note(apiKeyId: string, now: Date): void {
    this.#seen.set(apiKeyId, now.getTime());
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
      for (let from = 0; from < seen.length; from += KEYS_PER_STATEMENT)
        await this.#update(seen.slice(from, from + KEYS_PER_STATEMENT));
    } catch (error) {
      this.#log.warn({ reason: messageFromError(error) }, 'the last use of keys could not be written');
    }
  }

  async #update(seen: readonly (readonly [string, number])[]): Promise<void> {
    const rows = seen.map(([id, usedAt]) => sql`(${id}, cast(${usedAt} as bigint))`);
    await sql`
      with seen (id, used_at) as (values ${sql.join(rows)})
      update api_keys set last_used_at = (select used_at from seen where seen.id = api_keys.id)
      where id in (select id from seen)`.execute(this.#database);
  }
}
