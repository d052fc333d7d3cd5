import { sql } from 'kysely';
import type { BaseLogger } from 'pino';
import { type Awaitable, mapAwaitable } from '../../runtime/awaitable.ts';
import { messageFromError } from '../../runtime/errors.ts';
import type { ControlDatabase } from '../database/control-database.ts';
import type { Database } from '../database/tables/tables.ts';
import { type Caller, cachedCallerFrom, callerFrom, callerThroughMcp } from './caller.ts';
import type { DatabaseHealth } from './database-health.ts';
import { CredentialDirectory, type CredentialOptions } from './organizations/credential-directory.ts';
import { connectionFinder, type FindCredential, keyFinder } from './organizations/live-credential.ts';
import type { Terms } from './organizations/terms.ts';
import { ACCESS_TOKENS, API_KEYS, type TokenForm } from './organizations/token-form.ts';

/** Access tokens of connections are for MCP only. */
export type Surface = 'api' | 'mcp';

export interface AuthenticationDeps {
  readonly database: ControlDatabase;
  readonly health: DatabaseHealth;
  readonly log: Pick<BaseLogger, 'warn'>;
}

export interface AuthenticationOptions extends CredentialOptions {
  readonly clock: () => Date;
  readonly lastUsedIntervalMs: number;
  /** The MCP address that access tokens must be issued for; undefined: no access tokens. */
  readonly mcpResource: string | undefined;
}

interface Kind {
  readonly directory: CredentialDirectory;
  readonly find: FindCredential;
  readonly lastUsed: LastUsed;
}

/** Authenticates API keys and connections (specification "API keys", "Connected programs"). */
export class Authentication {
  readonly #clock: () => Date;
  readonly #keys: Kind;
  readonly #connections: Kind | undefined;
  readonly #callerOf = { keys: cachedCallerFrom('api_key'), connections: cachedCallerFrom('mcp_oauth') };

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

  /** Undefined for every invalid credential, and for an access token outside MCP; callers can't tell which. */
  authenticate(bearerToken: string | undefined, surface: Surface): Awaitable<Caller | undefined> {
    if (bearerToken === undefined) return undefined;
    if (surface === 'mcp' && ACCESS_TOKENS.has(bearerToken))
      return this.#connections && this.#find(bearerToken, this.#connections, this.#callerOf.connections);
    const caller = this.#find(bearerToken, this.#keys, this.#callerOf.keys);
    return surface === 'api' ? caller : mapAwaitable(caller, (found) => found && callerThroughMcp(found));
  }

  /** Undefined if the credential was revoked. */
  async refreshTerms({ credentialId: id, clientSource }: Caller): Promise<Terms | undefined> {
    const kind = clientSource === 'mcp_oauth' ? this.#connections : this.#keys;
    const live = await kind?.find({ id });
    return live && callerFrom(live, clientSource, this.#clock()).terms;
  }

  /** Empties the credential caches. */
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
    callerOf: ReturnType<typeof cachedCallerFrom>,
  ): Awaitable<Caller | undefined> {
    return mapAwaitable(directory.find(text), (credential) => {
      if (credential === undefined) return undefined;
      const now = this.#clock();
      lastUsed.note(credential.credentialId, now);
      return callerOf(credential, now);
    });
  }
}

/** SQLite allows 32,766 parameters per statement; each row takes two. */
const ROWS_PER_STATEMENT = 500;

/** Both tables have the columns `id` and `last_used_at`. */
type LastUsedTable = 'api_keys' | 'connections';

/** Stores when each credential was last used, in batches. A killed process loses what it hadn't written. */
class LastUsed {
  readonly #database: Database;
  readonly #log: Pick<BaseLogger, 'warn'>;
  readonly #table: LastUsedTable;
  readonly #timer: NodeJS.Timeout;
  #uses = new Map<string, number>();
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
    this.#uses.set(credentialId, now.getTime());
  }

  /** Never rejects: failures are logged, and the batch is dropped to bound memory. */
  flush(): Promise<void> {
    const uses = [...this.#uses];
    this.#uses = new Map();
    this.#writing = this.#writing.then(() => this.#write(uses));
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #write(uses: readonly (readonly [string, number])[]): Promise<void> {
    try {
      for (let from = 0; from < uses.length; from += ROWS_PER_STATEMENT)
        await this.#update(uses.slice(from, from + ROWS_PER_STATEMENT));
    } catch (error) {
      this.#log.warn({ reason: messageFromError(error) }, 'the last use of credentials could not be written');
    }
  }

  async #update(uses: readonly (readonly [string, number])[]): Promise<void> {
    const rows = uses.map(([id, usedAt]) => sql`(${id}, cast(${usedAt} as bigint))`);
    const table = sql.table(this.#table);
    await sql`
      with uses (id, used_at) as (values ${sql.join(rows)})
      update ${table} set last_used_at = (select used_at from uses where uses.id = ${table}.id)
      where id in (select id from uses)`.execute(this.#database);
  }
}
