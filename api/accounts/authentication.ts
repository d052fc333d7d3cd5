import { sql } from 'kysely';
import type { BaseLogger } from 'pino';
import { type Awaitable, mapAwaitable } from '../../runtime/awaitable.ts';
import { messageFromError } from '../../runtime/errors.ts';
import type { ControlDatabase } from '../database/control-database.ts';
import type { Database } from '../database/tables/tables.ts';
import { type Caller, callerFrom, callerTeller, callerThroughMcp } from './caller.ts';
import type { DatabaseHealth } from './database-health.ts';
import { CredentialDirectory, type CredentialOptions } from './organizations/credential-directory.ts';
import { connectionFinder, type FindCredential, keyFinder } from './organizations/live-credential.ts';
import type { Terms } from './organizations/terms.ts';
import { ACCESS_TOKENS, API_KEYS, type TokenForm } from './organizations/token-form.ts';

/** By which way a request came: keys open both, access tokens of connections MCP alone. */
export type Way = 'api' | 'mcp';

export interface AuthenticationDeps {
  readonly database: ControlDatabase;
  readonly health: DatabaseHealth;
  readonly log: Pick<BaseLogger, 'warn'>;
}

export interface AuthenticationOptions extends CredentialOptions {
  readonly clock: () => Date;
  readonly lastUsedIntervalMs: number;
  /** The address of MCP that access tokens must be for; undefined: there are none. */
  readonly mcpResource: string | undefined;
}

/** One kind of credential: where it is looked up, and where its last use is kept. */
interface Kind {
  readonly directory: CredentialDirectory;
  readonly find: FindCredential;
  readonly lastUsed: LastUsed;
}

/** Who sends a request: the organization of an API key, or that of a connection (specification "API keys", "Connected programs"). */
export class Authentication {
  readonly #clock: () => Date;
  readonly #keys: Kind;
  readonly #connections: Kind | undefined;
  readonly #callerOf = { keys: callerTeller('api_key'), connections: callerTeller('mcp_oauth') };

  constructor({ database, health, log }: AuthenticationDeps, options: AuthenticationOptions) {
    const { lastUsedIntervalMs: intervalMs, mcpResource, ...directoryOptions } = options;
    this.#clock = options.clock;
    const kind = (form: TokenForm, findNow: FindCredential, table: 'api_keys' | 'connections'): Kind => {
      const find: FindCredential = (by) => health.reading(() => findNow(by));
      const directory = new CredentialDirectory(form, { find, version: database.version }, directoryOptions);
      return { directory, find, lastUsed: new LastUsed(database.kysely, log, { intervalMs, table }) };
    };
    this.#keys = kind(API_KEYS, keyFinder(database.engine), 'api_keys');
    if (mcpResource !== undefined)
      this.#connections = kind(ACCESS_TOKENS, connectionFinder(database.engine, mcpResource), 'connections');
  }

  /** Undefined for a missing, malformed, unknown or revoked one, and for a token where only keys are good, without a difference. */
  authenticate(bearerToken: string | undefined, way: Way): Awaitable<Caller | undefined> {
    if (bearerToken === undefined) return undefined;
    if (way === 'mcp' && ACCESS_TOKENS.has(bearerToken))
      return this.#connections && this.#find(bearerToken, this.#connections, this.#callerOf.connections);
    const caller = this.#find(bearerToken, this.#keys, this.#callerOf.keys);
    return way === 'api' ? caller : mapAwaitable(caller, (found) => found && callerThroughMcp(found));
  }

  /** The caller's terms as the database has them now; undefined where the credential was revoked. */
  async refreshTerms({ credentialId: id, clientSource }: Caller): Promise<Terms | undefined> {
    const kind = clientSource === 'mcp_oauth' ? this.#connections : this.#keys;
    const live = await kind?.find({ id });
    return live && callerFrom(live, clientSource, this.#clock()).terms;
  }

  /** Forgets what is remembered: each credential is looked up when it is asked for next. */
  forget(): void {
    this.#keys.directory.forget();
    this.#connections?.directory.forget();
  }

  async close(): Promise<void> {
    await this.#keys.lastUsed.close();
    await this.#connections?.lastUsed.close();
  }

  #find(
    text: string,
    { directory, lastUsed }: Kind,
    callerOf: ReturnType<typeof callerTeller>,
  ): Awaitable<Caller | undefined> {
    return mapAwaitable(directory.find(text), (credential) => {
      if (credential === undefined) return undefined;
      const now = this.#clock();
      lastUsed.note(credential.credentialId, now);
      return callerOf(credential, now);
    });
  }
}

/** Credentials written with one statement; SQLite allows 32,766 parameters, each takes two. */
const ROWS_PER_STATEMENT = 500;

/** Where it is kept: both tables have the columns `id` and `last_used_at`. */
type LastUsedTable = 'api_keys' | 'connections';

/**
 * When each key or connection was last used, written every few seconds for all together. It helps people to find those that nobody
 * uses any more; what a killed process had not written yet is lost.
 */
class LastUsed {
  readonly #database: Database;
  readonly #log: Pick<BaseLogger, 'warn'>;
  readonly #table: LastUsedTable;
  readonly #timer: NodeJS.Timeout;
  #seen = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();

  constructor(
    database: Database,
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
