import type { BaseLogger } from 'pino';
import type { ControlDatabase } from '../database/control-database.ts';
import { type OpenDatabaseOptions, openDatabase } from '../database/open-database.ts';
import { getServiceSecret, lookAt, probeWriting } from '../database/service-values.ts';
import type { Accounts } from './accounts.ts';
import { AuditedChanges } from './audit.ts';
import { Authentication } from './authentication.ts';
import { COUNTER_OPTIONS, type CounterOptions, RateLimiter, type WindowCounter } from './burst/rate-limiter.ts';
import { openCounter } from './burst/shared-counter.ts';
import { accountFrom } from './caller.ts';
import { CREDENTIAL_OPTIONS, type CredentialOptions } from './credentials/credential-directory.ts';
import { DatabaseHealth } from './database-health.ts';
import { type Enforcement, isEnforced } from './plans/terms.ts';
import { CLEANUP_OPTIONS, type CleanupOptions, usageCleanup } from './quota/cleanup.ts';
import { DatabaseUsage } from './quota/database-usage.ts';
import { Quota } from './quota/quota.ts';
import { BATCHER_OPTIONS, Batcher, type BatcherOptions, type UsageStore } from './quota/usage-store.ts';
import { readUsage } from './request-counts/read-usage.ts';
import {
  addCounts,
  RECORDER_OPTIONS,
  type RecorderOptions,
  RequestRecorder,
} from './request-counts/request-recorder.ts';
import { usageCsv } from './request-counts/usage-csv.ts';

export interface OpenAccountsOptions {
  readonly clock?: () => Date;
  readonly log?: Log;
  /** Default: limits are enforced. */
  readonly enforcement?: Enforcement;
  /** `redis://…` where several servers count requests per minute together; without it each process counts for itself. */
  readonly redis?: string | undefined;
  readonly lastUsedIntervalMs?: number;
  /** Between two looks whether the control database does its work. */
  readonly probeMs?: number;
  /** What is remembered of credentials, and for how long. */
  readonly credentials?: Partial<CredentialOptions>;
  /** The address of MCP that access tokens must be for; default: there are no access tokens. */
  readonly mcpResource?: string | undefined;
  readonly batches?: Partial<BatcherOptions>;
  readonly cleanup?: Partial<CleanupOptions>;
  readonly counter?: Partial<CounterOptions>;
  readonly requestCounts?: Partial<RecorderOptions>;
  /** Told of requests that are missing from the details of usage, since they could not be written. */
  readonly onCountsDropped?: (requests: number) => void;
  readonly database?: OpenDatabaseOptions;
}

/** What is used of a pino logger. Neither keys nor passwords are ever logged. */
type Log = Pick<BaseLogger, 'info' | 'warn'>;

const NO_LOG: Log = { info: () => {}, warn: () => {} };

const LAST_USED_INTERVAL_MS = 10_000;
const PROBE_MS = 10_000;

/**
 * Opens the control database at `sqlite:PATH` or `postgres://…`, bringing it up to this version, and the counters. Rejects
 * with `configuration` where an address is not valid or a newer version has changed the database, and with `unavailable`.
 */
export async function openAccounts(url: string, options: OpenAccountsOptions = {}): Promise<Accounts> {
  const database = await openDatabase(url, { ...options.database, log: options.log ?? NO_LOG });
  try {
    const accounts = await openAccountsOn(database, options);
    const closeAccounts = accounts.close;
    const close = async () => {
      await closeAccounts();
      await database.close();
    };
    // Not a copy: `problem` is asked for each time.
    return Object.defineProperty(accounts, 'close', { value: once(close) });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Opens accounts on a control database that others use as well; closing the accounts leaves it open. Rejects with
 * `configuration` where the address of Redis is not valid.
 */
export async function openAccountsOn(
  database: ControlDatabase,
  options: Omit<OpenAccountsOptions, 'database'> = {},
): Promise<Accounts> {
  const log = options.log ?? NO_LOG;
  const counter = await openCounter(options.redis, {
    ...COUNTER_OPTIONS,
    clock: options.clock ?? (() => new Date()),
    ...options.counter,
    log,
  });
  return assemble({ database, counter, log }, options);
}

interface Parts {
  readonly database: ControlDatabase;
  readonly counter: WindowCounter;
  readonly log: Log;
}

function assemble({ database, counter, log }: Parts, options: Omit<OpenAccountsOptions, 'database'>): Accounts {
  const { clock = () => new Date(), enforcement = { mode: 'enforce', from: null } } = options;
  const { lastUsedIntervalMs = LAST_USED_INTERVAL_MS } = options;
  const health = new DatabaseHealth({
    clock,
    log,
    look: () => lookAt(database.kysely),
    probe: () => probeWriting(database.kysely, clock()),
    probeMs: options.probeMs ?? PROBE_MS,
  });
  const authentication = new Authentication(
    { database, health, log },
    { ...CREDENTIAL_OPTIONS, ...options.credentials, clock, lastUsedIntervalMs, mcpResource: options.mcpResource },
  );
  const recorder = new RequestRecorder(
    { addCounts: (rows) => addCounts(database.kysely, rows), log, onDropped: options.onCountsDropped ?? (() => {}) },
    { ...RECORDER_OPTIONS, ...options.requestCounts },
  );
  const cleanup = usageCleanup(database.kysely, log, { ...CLEANUP_OPTIONS, ...options.cleanup });
  const store = watched(new DatabaseUsage(database), health);
  const batcher = new Batcher(store, { ...BATCHER_OPTIONS, ...options.batches });
  const quota = new Quota({
    batcher,
    clock,
    enforcement,
    refreshTerms: (caller) => authentication.refreshTerms(caller),
    onReserve: (now) => cleanup.at(now),
  });
  const audit = {
    database: database.kysely,
    clock,
    onChange: () => authentication.forget(),
  };
  const burst = new RateLimiter(counter, clock, 'organization');
  const backstop = new RateLimiter(counter, clock, 'route');
  return {
    authenticate: (bearerToken, way = 'api') => authentication.authenticate(bearerToken, way),
    burst: {
      hit: ({ organizationId, terms }) =>
        burst.hit(organizationId, {
          limit: terms.burstPerMinute,
          isEnforced: isEnforced(enforcement, terms, clock()),
        }),
    },
    backstop: {
      hit: ({ credentialId, terms }, { route, limit, isFixed = false }) => {
        const holds = isFixed ? limit : Math.max(limit, terms.burstPerMinute);
        return backstop.hit(`${credentialId}:${route}`, { limit: holds, isEnforced: true });
      },
    },
    limits: {
      hit: (subject, { what, perMinute }) => backstop.hit(`${subject}:${what}`, { limit: perMinute, isEnforced: true }),
    },
    quota,
    get problem() {
      return health.problem;
    },
    get countingProblem() {
      return counter.problem;
    },
    secret: (name) => getServiceSecret(database.kysely, name, clock()),
    accountObject: async (caller) => accountFrom(caller.terms, await quota.usage(caller), caller.clientSource),
    countRequest: (request) => recorder.count(request),
    readUsage: async (organizationId, range) => {
      await recorder.flush(); // So that whoever looks finds what was asked here until now.
      return readUsage(database.kysely, organizationId, range);
    },
    async *usageCsv(organizationId, range) {
      await recorder.flush();
      yield* usageCsv(database.kysely, organizationId, range);
    },
    as: (actor) => new AuditedChanges(audit, actor),
    forgetCredentials: () => authentication.forget(),
    close: once(async () => {
      health.close();
      await batcher.idle();
      await cleanup.close();
      await recorder.close();
      await authentication.close();
      await counter.close();
    }),
  };
}

/** A batch of reads alone doesn't show that the database can be written. */
function watched(store: UsageStore, health: DatabaseHealth): UsageStore {
  return {
    apply: (requests) => {
      const work = () => store.apply(requests);
      return requests.every(({ kind }) => kind === 'read') ? health.reading(work) : health.writing(work);
    },
  };
}

/** Does the work at the first call only; later calls wait for the same end. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
