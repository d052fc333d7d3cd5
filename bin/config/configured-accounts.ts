import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Accounts } from '../../accounts/accounts.ts';
import type { Administration } from '../../accounts/administration/administration.ts';
import type { AuditAction, AuditEntry } from '../../accounts/audit/audit-log.ts';
import type { OpenAccountsOptions } from '../../accounts/open-accounts.ts';
import { sqliteFileFromUrl } from '../../database/open-database.ts';
import { AppError, isAppError } from '../../schemas/errors.ts';
import type { Config } from './config.ts';

/** Opens the accounts of `MODELSTATS_DATABASE`, with the limits and counters that are configured, for a server. */
export async function openConfiguredAccounts(
  config: Config,
  options: Pick<OpenAccountsOptions, 'clock' | 'log'>,
): Promise<Accounts> {
  const openAccounts = await loadOpenAccounts();
  return openAccounts(config.DATABASE, {
    ...options,
    redis: config.REDIS,
    enforcement: { mode: config.ENFORCEMENT, from: config.ENFORCEMENT_FROM ?? null },
    lastUsedIntervalMs: config.LAST_USED_SECONDS * 1000,
    probeMs: config.DATABASE_PROBE_SECONDS * 1000,
    keys: { ttlMs: config.KEY_CACHE_MS, entriesMax: config.KEY_CACHE_MAX, unknownMax: config.KEY_CACHE_MAX },
    cleanup: { usageDays: config.USAGE_DAYS },
    counter: { timeoutMs: config.REDIS_TIMEOUT_MS, pauseMs: config.REDIS_PAUSE_MS, bytesMax: config.BURST_BYTES },
    database: databaseOptions(config, { blockingTimeoutMs: BLOCKING_TIMEOUT_MS }),
  });
}

/** The longest that a server's own clean-up of SQLite holds up its requests; it is tried again later. */
const BLOCKING_TIMEOUT_MS = 20;

/** Runs an operator's work on the accounts. `not_found` becomes `usage`: the operator named something that doesn't exist. */
export async function withAdministration<T>(
  { config, clock }: { readonly config: Config; readonly clock: () => Date },
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  const openAccounts = await loadOpenAccounts();
  const accounts = await openAccounts(config.DATABASE, { clock, database: databaseOptions(config) });
  try {
    return await work(accounts.administration.as(operator()));
  } catch (error) {
    if (isAppError(error, 'not_found')) throw new AppError('usage', error.message, { cause: error });
    throw error;
  } finally {
    await accounts.close();
  }
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
  const file = sqliteFileFromUrl(context.config.DATABASE);
  if (file !== undefined && !existsSync(file)) return;
  try {
    await withAdministration(context, (administration) => administration.note(action, store, details));
  } catch (error) {
    if (!isAppError(error)) throw error;
    context.log(`not in the audit log: ${error.message}`);
  }
}

/** Who types the commands, as the audit log names them. */
function operator(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    return `cli:${process.getuid?.() ?? 'unknown'}`; // A user without an entry, as containers have them.
  }
}

/** Loaded when it is needed, so that the other commands don't wait for the databases' libraries. */
async function loadOpenAccounts() {
  return (await import('../../accounts/open-accounts.ts')).openAccounts;
}

function databaseOptions(
  config: Config,
  serving: { readonly blockingTimeoutMs?: number } = {},
): NonNullable<OpenAccountsOptions['database']> {
  return {
    sqlite: { busyTimeoutMs: config.DATABASE_TIMEOUT_MS, ...serving },
    postgres: {
      connectionsMax: config.DATABASE_CONNECTIONS_MAX,
      connectTimeoutMs: config.DATABASE_CONNECT_TIMEOUT_MS,
      statementTimeoutMs: config.DATABASE_TIMEOUT_MS,
    },
  };
}
