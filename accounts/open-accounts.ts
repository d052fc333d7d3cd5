import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import { accountFrom } from '../schemas/account.ts';
import { type Enforcement, isEnforced } from '../schemas/enforcement.ts';
import { BACKSTOP_PER_MINUTE, type BackstopLimits } from '../schemas/route-limits.ts';
import { effectiveTerms } from '../schemas/terms.ts';
import type { Accounts } from './accounts.ts';
import { Administration } from './administration/administration.ts';
import { COUNTER_OPTIONS, type OpenCounterOptions, openCounter } from './burst/open-counter.ts';
import { RateLimiter } from './burst/rate-limiter.ts';
import type { Caller } from './caller.ts';
import type { ControlDatabase, KeyRecord } from './database/control-database.ts';
import { type OpenDatabaseOptions, openDatabase } from './database/open-database.ts';
import { KeyDirectory, type KeyDirectoryOptions } from './keys/key-directory.ts';
import { LastUsed } from './keys/last-used.ts';
import { type Log, NO_LOG } from './log.ts';
import { Batcher, type BatcherOptions } from './quota/batcher.ts';
import { Cleanup, type CleanupOptions } from './quota/cleanup.ts';
import { Quota } from './quota/quota.ts';

export interface OpenAccountsOptions {
  readonly clock?: () => Date;
  readonly random?: (bytes: number) => Uint8Array;
  readonly log?: Log;
  /** Default: limits are enforced. */
  readonly enforcement?: Enforcement;
  /** `redis://…` where replicas share one audience; else every process counts for itself. */
  readonly redis?: string | undefined;
  readonly backstop?: BackstopLimits;
  readonly lastUsedIntervalMs?: number;
  readonly keys?: Partial<KeyDirectoryOptions>;
  readonly batches?: Partial<BatcherOptions>;
  readonly cleanup?: Partial<CleanupOptions>;
  readonly counter?: Partial<OpenCounterOptions>;
  readonly database?: OpenDatabaseOptions;
}

/** See the options' own types for what is wrong with smaller and larger values. */
const KEYS: KeyDirectoryOptions = {
  ttlMs: 3_000,
  unknownTtlMs: 60_000,
  entriesMax: 10_000,
  unknownMax: 10_000,
  lookupsMax: 1_000,
};
const BATCHES: BatcherOptions = { batchMax: 1_000, waitingMax: 20_000 };
const CLEANUP: CleanupOptions = { usageDays: 400, rowsAtOnce: 1_000 };
const LAST_USED_INTERVAL_MS = 10_000;

/**
 * Opens the control database at `sqlite:PATH` or `postgres://…`, bringing it up to this version, and the counters. Rejects
 * with `configuration` where an address is none or a newer version owns the database, and with `unavailable`.
 */
export async function openAccounts(url: string, options: OpenAccountsOptions = {}): Promise<Accounts> {
  const log = options.log ?? NO_LOG;
  const database = await openDatabase(url, { ...options.database, log });
  try {
    const counter = await openCounter(options.redis, { ...COUNTER_OPTIONS, ...options.counter, log });
    return assemble({ database, counter, log }, options);
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface Parts {
  readonly database: ControlDatabase;
  readonly counter: Awaited<ReturnType<typeof openCounter>>;
  readonly log: Log;
}

function assemble({ database, counter, log }: Parts, options: OpenAccountsOptions): Accounts {
  const { clock = () => new Date(), enforcement = { mode: 'enforce', from: null } } = options;
  const { backstop = BACKSTOP_PER_MINUTE, lastUsedIntervalMs = LAST_USED_INTERVAL_MS } = options;
  const directory = new KeyDirectory(database, clock, { ...KEYS, ...options.keys });
  const lastUsed = new LastUsed(database.kysely, log, { intervalMs: lastUsedIntervalMs });
  const cleanup = new Cleanup(database.kysely, log, { ...CLEANUP, ...options.cleanup });
  const batcher = new Batcher(database.usage, { ...BATCHES, ...options.batches });
  const callerFrom = (record: KeyRecord): Caller => ({
    organizationId: record.organizationId,
    apiKeyId: record.apiKeyId,
    terms: effectiveTerms(record.subscription, record.verifiedIntegrations, clock()),
    clientSource: 'api_key',
  });
  const quota = new Quota({
    ...{ batcher, clock, enforcement, onReserve: (now) => cleanup.at(now) },
    refreshTerms: async ({ apiKeyId }) => {
      const record = await database.findKey({ id: apiKeyId });
      return record === undefined ? undefined : callerFrom(record).terms;
    },
  });
  const burst = new RateLimiter(counter, clock, 'burst');
  const backstops = new RateLimiter(counter, clock, 'backstop');
  return {
    async authenticate(bearerToken) {
      const record = bearerToken === undefined ? undefined : await directory.find(bearerToken);
      if (record === undefined) return undefined;
      lastUsed.note(record.apiKeyId, clock());
      return callerFrom(record);
    },
    burst: {
      hit: ({ organizationId, terms }) =>
        burst.hit(organizationId, {
          limit: terms.burstPerMinute,
          isEnforced: isEnforced(enforcement, terms, clock()),
        }),
    },
    backstop: {
      hit: ({ apiKeyId }, route) => backstops.hit(`${apiKeyId}:${route}`, { limit: backstop[route], isEnforced: true }),
    },
    quota,
    accountObject: async (caller) => accountFrom(caller.terms, await quota.usage(caller), caller.clientSource),
    administration: new Administration({
      ...{ database: database.kysely, clock, random: options.random ?? randomBytes },
      ...{ newId: monotonicFactory(), onChange: () => directory.forget() },
    }),
    close: once(async () => {
      await batcher.idle();
      await cleanup.close();
      await lastUsed.close();
      await counter.close();
      await database.close();
    }),
  };
}

/** Work that is done at the first call; later ones share its end. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
