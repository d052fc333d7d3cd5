import type { BaseLogger } from 'pino';
import { defaultsOf } from '../../runtime/setting.ts';
import type { ControlDatabase } from '../database/control-database.ts';
import { type OpenDatabaseOptions, openDatabase } from '../database/open-database.ts';
import { getServiceSecret, probeReading, probeWriting } from '../database/service-values.ts';
import { DATABASE_SETTINGS } from '../database/settings.ts';
import type { Actor } from './actor.ts';
import { AuditedChanges } from './audit.ts';
import { Authentication, type Surface } from './authentication.ts';
import { accountFrom, type Caller } from './caller.ts';
import { DatabaseHealth } from './database-health.ts';
import { CLEANUP_OPTIONS, type CleanupOptions, usageCleanup } from './limits/cleanup.ts';
import { DatabaseUsage } from './limits/database-usage.ts';
import { Quota } from './limits/quota.ts';
import { COUNTER_OPTIONS, type CounterOptions, RateLimiter, type WindowCounter } from './limits/rate-limiter.ts';
import { openCounter } from './limits/shared-counter.ts';
import { BATCHER_OPTIONS, Batcher, type BatcherOptions, type UsageStore } from './limits/usage-store.ts';
import { CREDENTIAL_OPTIONS, type CredentialOptions } from './organizations/credential-directory.ts';
import { type Enforcement, isEnforced } from './organizations/terms.ts';
import { readUsage } from './request-counts/read-usage.ts';
import type { DayRange } from './request-counts/request-counts.ts';
import {
  addCounts,
  type FinishedRequest,
  RECORDER_OPTIONS,
  type RecorderOptions,
  RequestRecorder,
} from './request-counts/request-recorder.ts';
import { usageCsv } from './request-counts/usage-csv.ts';
import { USAGE_SETTINGS } from './request-counts/usage-settings.ts';

export interface OpenAccountsOptions {
  readonly clock?: () => Date;
  readonly log?: Log;
  /** Default: limits are enforced. */
  readonly enforcement?: Enforcement;
  /** `redis://…` to count across processes. */
  readonly redis?: string | undefined;
  readonly lastUsedIntervalMs?: number;
  /** Interval of the checks of the control database. */
  readonly probeMs?: number;
  /** Size and duration of the credential caches. */
  readonly credentials?: Partial<CredentialOptions>;
  /** Resource of access tokens; default: none are accepted. */
  readonly mcpResource?: string | undefined;
  readonly batches?: Partial<BatcherOptions>;
  readonly cleanup?: Partial<CleanupOptions>;
  readonly counter?: Partial<CounterOptions>;
  readonly requestCounts?: Partial<RecorderOptions>;
  /** Requests missing from usage details. */
  readonly onCountsDropped?: (requests: number) => void;
  readonly database?: OpenDatabaseOptions;
}

/** Part of a pino logger. Keys and passwords are never logged. */
type Log = Pick<BaseLogger, 'info' | 'warn'>;

const NO_LOG: Log = { info: () => {}, warn: () => {} };

const { lastUsedIntervalMs: LAST_USED_INTERVAL_MS } = defaultsOf(USAGE_SETTINGS);
const { probeMs: PROBE_MS } = defaultsOf(DATABASE_SETTINGS);

/**
 * Opens and migrates the control database, and opens the counters. Rejects with `configuration` for an invalid address
 * or a database of a newer version, and with `unavailable`.
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
    // Not a copy: `problem` is a getter.
    return Object.defineProperty(accounts, 'close', { value: once(close) });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Closing the accounts leaves the database open. Rejects with `configuration` for an invalid Redis address. */
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

function assemble({ database, counter, log }: Parts, options: Omit<OpenAccountsOptions, 'database'>) {
  const { clock = () => new Date(), enforcement = { mode: 'enforce', from: null } } = options;
  const { lastUsedIntervalMs = LAST_USED_INTERVAL_MS } = options;
  const health = new DatabaseHealth({
    clock,
    log,
    check: () => probeReading(database.kysely),
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
  const quota: Pick<Quota, 'reserve' | 'settle' | 'release' | 'usage'> = new Quota({
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
    /** Undefined for every invalid token; access tokens are for MCP only. */
    authenticate: (bearerToken: string | undefined, surface: Surface = 'api') =>
      authentication.authenticate(bearerToken, surface),
    /** The organization's limit per minute, shared by its keys. */
    burst: {
      hit: ({ organizationId, terms }: Caller) =>
        burst.hit(organizationId, {
          limit: terms.burstPerMinute,
          isEnforced: isEnforced(enforcement, terms, clock()),
        }),
    },
    /**
     * Limits one key on one route, by `limit` or the organization's burst limit if larger (unless `isFixed`). Always
     * enforced (specification "Backstop").
     */
    backstop: {
      hit: ({ credentialId, terms }: Caller, { route, limit, isFixed = false }: BackstopOf) => {
        const effectiveLimit = isFixed ? limit : Math.max(limit, terms.burstPerMinute);
        return backstop.hit(`${credentialId}:${route}`, { limit: effectiveLimit, isEnforced: true });
      },
    },
    /** Limits a person or client address, whatever the plan. */
    limits: {
      hit: (subject: string, { what, perMinute }: { readonly what: string; readonly perMinute: number }) =>
        backstop.hit(`${subject}:${what}`, { limit: perMinute, isEnforced: true }),
    },
    /** See `Quota`. */
    quota,
    /** Undefined if the control database worked when last used. */
    get problem() {
      return health.problem;
    },
    /** Undefined if requests per minute are counted as configured. */
    get countingProblem() {
      return counter.problem;
    },
    secret: (name: 'file-links' | 'console-forms' | 'digest-links') => getServiceSecret(database.kysely, name, clock()),
    /** The body of `GET /v1/account`. */
    accountObject: async (caller: Caller) => accountFrom(caller.terms, await quota.usage(caller), caller.clientSource),
    /** Written a few seconds later (specification "Usage details"). */
    countRequest: (request: FinishedRequest) => recorder.count(request),
    /** Rejects with `usage` for an invalid range. */
    readUsage: async (organizationId: string, range: DayRange) => {
      await recorder.flush(); // Includes the requests of this process until now.
      return readUsage(database.kysely, organizationId, range);
    },
    /** The same as a CSV (RFC 4180) in pieces: a line per day, key, route and client source. */
    async *usageCsv(organizationId: string, range: DayRange) {
      await recorder.flush();
      yield* usageCsv(database.kysely, organizationId, range);
    },
    /** For the functions of organizations/; changes apply at once. */
    as: (actor: Actor) => new AuditedChanges(audit, actor),
    /** Empties the credential caches; call it after changes made without `as`. */
    forgetCredentials: () => authentication.forget(),
    /** Finishes pending work. */
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

interface BackstopOf {
  readonly route: string;
  readonly limit: number;
  readonly isFixed?: boolean;
}

/**
 * Organizations, keys, plans and usage (specification "Access"). While the control database is down, methods reject
 * with `unavailable` (or throw it, where synchronous) and grant nothing.
 */
export type Accounts = Readonly<ReturnType<typeof assemble>>;

/** A batch of reads doesn't prove that the database is writable. */
function watched(store: UsageStore, health: DatabaseHealth): UsageStore {
  return {
    apply: (requests) => {
      const work = () => store.apply(requests);
      return requests.every(({ kind }) => kind === 'read') ? health.reading(work) : health.writing(work);
    },
  };
}

/** Later calls share the first result. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
