import type { BaseLogger } from 'pino';
import { defaultsOf } from '../../runtime/setting.ts';
import type { ControlDatabase } from '../database/control-database.ts';
import { type OpenDatabaseOptions, openDatabase } from '../database/open-database.ts';
import { getServiceSecret, lookAt, probeWriting } from '../database/service-values.ts';
import { DATABASE_SETTINGS } from '../database/settings.ts';
import type { Actor } from './actor.ts';
import { AuditedChanges } from './audit.ts';
import { Authentication, type Way } from './authentication.ts';
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

const { lastUsedIntervalMs: LAST_USED_INTERVAL_MS } = defaultsOf(USAGE_SETTINGS);
const { probeMs: PROBE_MS } = defaultsOf(DATABASE_SETTINGS);

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

function assemble({ database, counter, log }: Parts, options: Omit<OpenAccountsOptions, 'database'>) {
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
    /**
     * Who a bearer token belongs to: an API key, or by the way of MCP an access token of a connection too. Undefined for a missing,
     * malformed, unknown or revoked one, without a difference.
     */
    authenticate: (bearerToken: string | undefined, way: Way = 'api') => authentication.authenticate(bearerToken, way),
    /** Counts a request against the organization's limit per minute, all its keys together. */
    burst: {
      hit: ({ organizationId, terms }: Caller) =>
        burst.hit(organizationId, {
          limit: terms.burstPerMinute,
          isEnforced: isEnforced(enforcement, terms, clock()),
        }),
    },
    /**
     * Counts a request of one key to one route against that route's limit per minute, or the organization's where that is larger;
     * unless it `isFixed`; always enforced (specification "Backstop").
     */
    backstop: {
      hit: ({ credentialId, terms }: Caller, { route, limit, isFixed = false }: BackstopOf) => {
        const holds = isFixed ? limit : Math.max(limit, terms.burstPerMinute);
        return backstop.hit(`${credentialId}:${route}`, { limit: holds, isEnforced: true });
      },
    },
    /** Counts what a person or a client address does against a limit per minute that no plan raises; always enforced. */
    limits: {
      hit: (subject: string, { what, perMinute }: { readonly what: string; readonly perMinute: number }) =>
        backstop.hit(`${subject}:${what}`, { limit: perMinute, isEnforced: true }),
    },
    /** The units of a UTC day that the organization has used and may use; see `Quota`. */
    quota,
    /** Why the control database could not be read or written when it was last needed; undefined where it could. Costs nothing. */
    get problem() {
      return health.problem;
    },
    /** Why requests per minute are not counted together with other processes; undefined where they are, or need not be. */
    get countingProblem() {
      return counter.problem;
    },
    /** A secret of the service that is made once and shared by all who use the control database. */
    secret: (name: 'file-links' | 'console-forms') => getServiceSecret(database.kysely, name, clock()),
    /** The body of `GET /v1/account`. */
    accountObject: async (caller: Caller) => accountFrom(caller.terms, await quota.usage(caller), caller.clientSource),
    /** Counts a request once it is over: in memory, written a few seconds later (specification "Usage details"). */
    countRequest: (request: FinishedRequest) => recorder.count(request),
    /** What an organization used on these days; nothing for an unknown one. Rejects with `usage` where the range makes no sense. */
    readUsage: async (organizationId: string, range: DayRange) => {
      await recorder.flush(); // So that whoever looks finds what was asked here until now.
      return readUsage(database.kysely, organizationId, range);
    },
    /**
     * The same in detail, as pieces of a CSV (RFC 4180) with a line per day, key, route and client source: the header, then some
     * lines at a time, so that it can be sent on while it is read.
     */
    async *usageCsv(organizationId: string, range: DayRange) {
      await recorder.flush();
      yield* usageCsv(database.kysely, organizationId, range);
    },
    /** Organizations and keys as an actor reads and changes them, with the functions of organizations/; a change is in force at once. */
    as: (actor: Actor) => new AuditedChanges(audit, actor),
    /** Forgets what is remembered of keys and connections: somebody has changed them otherwise than with `as`. */
    forgetCredentials: () => authentication.forget(),
    /** Finishes the work under way and closes the connections that were opened for these accounts. */
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

/** Which route's limit a request is counted against. */
interface BackstopOf {
  readonly route: string;
  readonly limit: number;
  readonly isFixed?: boolean;
}

/**
 * Organizations, keys, plans and usage, as the API and the command line see them (specification "Access"). While the control
 * database doesn't answer, every method that needs it rejects with `unavailable`, and nothing is granted; one whose value may be
 * there at once may also throw it.
 */
export type Accounts = Readonly<ReturnType<typeof assemble>>;

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
