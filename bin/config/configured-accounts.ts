import { existsSync } from 'node:fs';
import type { Actor } from '../../api/accounts/actor.ts';
import type { AuditAction, AuditEntry, AuditedChanges } from '../../api/accounts/audit.ts';
import type { Accounts, OpenAccountsOptions } from '../../api/accounts/open-accounts.ts';
import type { ControlDatabase } from '../../api/database/control-database.ts';
import { sqliteFileFromUrl } from '../../api/database/open-database.ts';
import { AppError, isAppError } from '../../runtime/errors.ts';
import { findSystemUser, isThisMachine } from '../../runtime/this-machine.ts';
import type { Config } from './config.ts';

/** Opens `MODELSTATS_DATABASE` for a server, whose requests it must not block. */
export async function openConfiguredDatabase(
  config: Config,
  { log }: Pick<OpenAccountsOptions, 'log'>,
): Promise<ControlDatabase> {
  const { openDatabase } = await import('../../api/database/open-database.ts');
  const options = databaseOptions(config, { blockingTimeoutMs: BLOCKING_TIMEOUT_MS });
  return openDatabase(config.database.url, { ...options, ...(log === undefined ? {} : { log }) });
}

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

/** How long a server's clean-up of SQLite may block its requests; it is retried later. */
const BLOCKING_TIMEOUT_MS = 20;

/** {@link withAccounts} in the operator's name. */
export function withChanges<T>(
  context: { readonly config: Config; readonly clock: () => Date },
  work: (changes: AuditedChanges) => Promise<T>,
): Promise<T> {
  return withAccounts(context, (accounts) => work(accounts.as(operator())));
}

/**
 * Runs an operator's work on the accounts. `not_found` becomes `usage`: the operator named something that doesn't
 * exist.
 */
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

/** {@link withAccounts} for the control database. */
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

function asUsage(error: unknown): unknown {
  return isAppError(error, 'not_found') ? new AppError('usage', error.message, { cause: error }) : error;
}

export interface StoreAction {
  readonly action: AuditAction;
  /** The store's address, without secrets. */
  readonly store: string;
  readonly details: AuditEntry['details'];
}

/**
 * Records an action in the audit log before it is done (specification "Audit log"). Without a control database only the
 * run's report has it. A log that can't be written is reported but stops nothing, since a night must not wait for it.
 */
export async function recordStoreAction(
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
    context.log(`not recorded in the audit log: ${error.message}`);
  }
}

/** The operating system's user. */
export function operator(): Actor {
  return { operator: `cli:${findSystemUser() ?? process.getuid?.() ?? 'unknown'}` };
}

/** A command may wait for the database; a server passes `serving`. */
function databaseOptions(
  { database: { connectionsMax, connectTimeoutMs, statementTimeoutMs } }: Config,
  serving: { readonly blockingTimeoutMs?: number } = {},
): NonNullable<OpenAccountsOptions['database']> {
  return {
    sqlite: { busyTimeoutMs: statementTimeoutMs, ...serving },
    postgres: { connectionsMax, connectTimeoutMs, statementTimeoutMs },
  };
}

/** The configured URL, else where the service listens. */
export function publicUrlOf({ address: { publicUrl, basePath }, serve: { host: listened, port } }: Config): string {
  if (publicUrl !== undefined) return `${publicUrl}${basePath}`;
  const isAnyAddress = listened === '0.0.0.0' || listened === '::';
  const host = listened.includes(':') ? `[${listened}]` : listened;
  return `http://${isAnyAddress ? 'localhost' : host}:${port}${basePath}`;
}

/** Where links to the service lead; undefined if not configured, since a listening address can't be linked to. */
export function servicePublicUrl(config: Config): string | undefined {
  return config.address.publicUrl === undefined ? undefined : publicUrlOf(config);
}

/** {@link servicePublicUrl}; throws `configuration` without one. */
export function getServicePublicUrl(config: Config): string {
  const publicUrl = servicePublicUrl(config);
  if (publicUrl !== undefined) return publicUrl;
  throw new AppError(
    'configuration',
    'MODELSTATS_PUBLIC_URL is not set: it is needed to recognize links to the service',
  );
}

/**
 * The URL of MCP that access tokens are for; undefined if MCP is off, or tokens would be sent unencrypted to another
 * machine.
 */
export function mcpResourceOf(config: Config): string | undefined {
  const url = new URL(`${publicUrlOf(config)}/mcp`);
  const isSafe = url.protocol === 'https:' || isThisMachine(url);
  return isSafe && config.capabilities.states.mcp !== 'planned' ? url.href : undefined;
}
