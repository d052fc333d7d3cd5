import type { Accounts } from '../accounts/accounts.ts';
import type { Administration } from '../accounts/administration/administration.ts';
import type { OpenAccountsOptions } from '../accounts/open-accounts.ts';
import { AppError, isAppError } from '../schemas/errors.ts';
import type { CommandContext } from './commands/command-context.ts';
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
    backstop: config.BACKSTOP,
    lastUsedIntervalMs: config.LAST_USED_SECONDS * 1000,
    keys: { ttlMs: config.KEY_CACHE_MS, entriesMax: config.KEY_CACHE_MAX, unknownMax: config.KEY_CACHE_MAX },
    cleanup: { usageDays: config.USAGE_DAYS },
    counter: { timeoutMs: config.REDIS_TIMEOUT_MS, pauseMs: config.REDIS_PAUSE_MS },
    database: databaseOptions(config, { blockingTimeoutMs: BLOCKING_TIMEOUT_MS }),
  });
}

/** A server's housekeeping doesn't hold up its requests for longer; it comes again. */
const BLOCKING_TIMEOUT_MS = 20;

/** An operator's work on the accounts. What is not there was named wrongly, so it is `usage`. */
export async function withAdministration<T>(
  { config, clock }: Pick<CommandContext, 'config' | 'clock'>,
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  const openAccounts = await loadOpenAccounts();
  const accounts = await openAccounts(config.DATABASE, { clock, database: databaseOptions(config) });
  try {
    return await work(accounts.administration);
  } catch (error) {
    if (isAppError(error, 'not_found')) throw new AppError('usage', error.message, { cause: error });
    throw error;
  } finally {
    await accounts.close();
  }
}

/** Only now: the other commands need not wait for the databases' libraries. */
async function loadOpenAccounts() {
  return (await import('../accounts/open-accounts.ts')).openAccounts;
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
