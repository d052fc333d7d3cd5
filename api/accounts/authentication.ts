import type { BaseLogger } from 'pino';
import { type Awaitable, whenThere } from '../../runtime/awaitable.ts';
import type { ControlDatabase } from '../database/control-database.ts';
import { type Caller, callerFrom, callerTeller, callerThroughMcp } from './caller.ts';
import { CredentialDirectory, type CredentialDirectoryOptions } from './credentials/credential-directory.ts';
import { LastUsed } from './credentials/last-used.ts';
import { connectionFinder, type FindCredential, keyFinder } from './credentials/live-credential.ts';
import { ACCESS_TOKENS, API_KEYS, type TokenForm } from './credentials/token-form.ts';
import type { DatabaseHealth } from './database-health.ts';
import type { Terms } from './plans/terms.ts';

/** By which way a request came: keys open both, access tokens of connections MCP alone. */
export type Way = 'api' | 'mcp';

export interface AuthenticationDeps {
  readonly database: ControlDatabase;
  readonly health: DatabaseHealth;
  readonly log: Pick<BaseLogger, 'warn'>;
}

export interface AuthenticationOptions extends CredentialDirectoryOptions {
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
    return way === 'api' ? caller : whenThere(caller, (found) => found && callerThroughMcp(found));
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
    return whenThere(directory.find(text), (credential) => {
      if (credential === undefined) return undefined;
      const now = this.#clock();
      lastUsed.note(credential.credentialId, now);
      return callerOf(credential, now);
    });
  }
}
