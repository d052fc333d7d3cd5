import { existsSync } from 'node:fs';
import type { Actor } from '../../api/accounts/actor.ts';
import type { AuditAction, AuditEntry, AuditedChanges } from '../../api/accounts/audit.ts';
import type { Accounts, OpenAccountsOptions } from '../../api/accounts/open-accounts.ts';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { sqliteFileFromUrl } from '../../api/database/open-database.ts';
import { AppError, isAppError } from '../../runtime/errors.ts';
import { findSystemUser, isThisMachine } from '../../runtime/this-machine.ts';
import type { Config } from './config.ts';

/** Opens `MODELSTATS_DATABASE` for a server, whose requests it must not hold up. */
export async function openConfiguredDatabase(
  config: Config,
  { log }: Pick<OpenAccountsOptions, 'log'>,
): Promise<ControlDatabase> {
  const { openDatabase } = await import('../../api/database/open-database.ts');
  const options = databaseOptions(config, { blockingTimeoutMs: BLOCKING_TIMEOUT_MS });
  return openDatabase(config.database.url, { ...options, ...(log === undefined ? {} : { log }) });
}

/** Opens the accounts on a server's control database, with the limits and counters that are configured. */
export async function openConfiguredAccounts(
  config: Config,
  database: ControlDatabase,
  options: Pick<OpenAccountsOptions, 'clock' | 'log' | 'onCountsDropped'>,
): Promise<Accounts> {
  const { openAccountsOn } = await import('../../api/accounts/open-accounts.ts');
  const { redis, ...counter } = config.burst;
  const { lastUsedIntervalMs, days, ...requestCounts } = config.usage;
  return openAccountsOn(database, {
    ...options,
    redis,
    enforcement: config.enforcement,
    lastUsedIntervalMs,
    mcpResource: mcpResourceOf(config),
    probeMs: config.database.probeMs,
    credentials: { ...config.credentials, unknownMax: config.credentials.entriesMax },
    cleanup: { usageDays: days },
    requestCounts,
    counter,
  });
}

/** The longest that a server's own clean-up of SQLite holds up its requests; it is tried again later. */
const BLOCKING_TIMEOUT_MS = 20;

/** {@link withAccounts} for what operators do, in their name. */
export function withChanges<T>(
  context: { readonly config: Config; readonly clock: () => Date },
  work: (changes: AuditedChanges) => Promise<T>,
): Promise<T> {
  return withAccounts(context, (accounts) => work(accounts.as(operator())));
}

/** Runs an operator's work on the accounts. `not_found` becomes `usage`: the operator named something that doesn't exist. */
export async function withAccounts<T>(
  { config, clock }: { readonly config: Config; readonly clock: () => Date },
  work: (accounts: Accounts) => Promise<T>,
): Promise<T> {
  const { openAccounts } = await import('../../api/accounts/open-accounts.ts');
  const accounts = await openAccounts(config.database.url, { clock, database: databaseOptions(config) });
  try {
    return await work(accounts);
  } catch (error) {
    throw asUsage(error);
  } finally {
    await accounts.close();
  }
}

/** Runs an operator's work on the control database. `not_found` becomes `usage`: the operator named something that doesn't exist. */
export async function withDatabase<T>(config: Config, work: (database: ControlDatabase) => Promise<T>): Promise<T> {
  const { openDatabase } = await import('../../api/database/open-database.ts');
  const database = await openDatabase(config.database.url, databaseOptions(config));
  try {
    return await work(database);
  } catch (error) {
    throw asUsage(error);
  } finally {
    await database.close();
  }
}

/** `not_found` as `usage`: the operator named something that doesn't exist. */
function asUsage(error: unknown): unknown {
  return isAppError(error, 'not_found') ? new AppError('usage', error.message, { cause: error }) : error;
}

/** What an operator is about to do with a store. */
export interface StoreAction {
  readonly action: AuditAction;
  /** The store's address, as it may be shown. */
  readonly store: string;
  /** What was asked for. */
  readonly details: AuditEntry['details'];
}

/**
 * Notes it in the audit log before it is done (specification "Audit log"). A machine without a control database has none: there
 * the run's report alone tells. A log that can't be written is told and holds nothing up, since a night must not wait for it.
 */
export async function noteStoreAction(
  context: { readonly config: Config; readonly clock: () => Date; readonly log: (line: string) => void },
  { action, store, details }: StoreAction,
): Promise<void> {
  const file = sqliteFileFromUrl(context.config.database.url);
  if (file !== undefined && !existsSync(file)) return;
  try {
    const entry = { organizationId: null, action, subjectId: store, details };
    await withChanges(context, (changes) => changes.change((_, note) => note(entry)));
  } catch (error) {
    if (!isAppError(error)) throw error;
    context.log(`not in the audit log: ${error.message}`);
  }
}

/** Who types the commands. */
export function operator(): Actor {
  return { operator: `cli:${findSystemUser() ?? process.getuid?.() ?? 'unknown'}` };
}

/** How the control database is opened; by a command, which may wait, unless a server is `serving`. */
function databaseOptions(
  { database: { connectionsMax, connectTimeoutMs, statementTimeoutMs } }: Config,
  serving: { readonly blockingTimeoutMs?: number } = {},
): NonNullable<OpenAccountsOptions['database']> {
  return {
    sqlite: { busyTimeoutMs: statementTimeoutMs, ...serving },
    postgres: { connectionsMax, connectTimeoutMs, statementTimeoutMs },
  };
}

/** Where people find the service: as it is configured, else where it listens. */
export function publicUrlOf({ address: { publicUrl, basePath }, serve: { host: listened, port } }: Config): string {
  if (publicUrl !== undefined) return `${publicUrl}${basePath}`;
  const isAnywhere = listened === '0.0.0.0' || listened === '::';
  const host = listened.includes(':') ? `[${listened}]` : listened;
  return `http://${isAnywhere ? 'localhost' : host}:${port}${basePath}`;
}

/**
 * The address of MCP for which access tokens are; undefined where MCP is off, and where they would travel in the clear: they need
 * https, or this machine.
 */
export function mcpResourceOf(config: Config): string | undefined {
  const url = new URL(`${publicUrlOf(config)}/mcp`);
  const isSafe = url.protocol === 'https:' || isThisMachine(url);
  return isSafe && config.capabilities.states.mcp !== 'planned' ? url.href : undefined;
}
