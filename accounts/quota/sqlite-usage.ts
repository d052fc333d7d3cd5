import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { unavailable } from '../database/database-errors.ts';
import type { ReleaseRequest, ReserveRequest, UnitKey, UsageAnswer, UsageRequest, UsageStore } from './usage-store.ts';

/** Between two attempts while another process writes; its commits take a few milliseconds. */
const RETRY_MS = 10;

/**
 * Usage in SQLite: a batch is one transaction, so its requests share one sync to the disk. While another process writes, it waits
 * off the event loop: SQLite's own waiting would keep every other request waiting too, and the health checks.
 */
export class SqliteUsage implements UsageStore {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #applyAll: (requests: readonly UsageRequest[]) => UsageAnswer[];
  readonly #isBusy: () => boolean;
  readonly #busyTimeoutMs: number;

  /**
   * @param busyTimeoutMs how long a batch may wait for another process's write
   * @param blockingTimeoutMs how long everybody else on this connection may, which is set again after each batch
   */
  constructor(
    database: Database.Database,
    { busyTimeoutMs, blockingTimeoutMs }: { readonly busyTimeoutMs: number; readonly blockingTimeoutMs: number },
  ) {
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#statements = prepare(database);
    this.#isBusy = () => database.inTransaction;
    const applyAll = database.transaction((requests: readonly UsageRequest[]) =>
      requests.map((request) => this.#apply(request)),
    ).immediate;
    this.#applyAll = (requests) => {
      database.pragma('busy_timeout = 0');
      try {
        return applyAll(requests);
      } finally {
        database.pragma(`busy_timeout = ${blockingTimeoutMs}`);
      }
    };
  }

  async apply(requests: readonly UsageRequest[]): Promise<readonly UsageAnswer[]> {
    const deadlineMs = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      // Kysely shares the connection: its transaction, should one be open, ends within the turn of the event loop.
      while (this.#isBusy()) await new Promise((resolve) => setImmediate(resolve));
      try {
        // Readers need no lock, so they neither wait for another process's write nor hold one up.
        if (requests.every(({ kind }) => kind === 'read')) return requests.map((request) => this.#apply(request));
        return this.#applyAll(requests);
      } catch (error) {
        if (!isLocked(error) || performance.now() >= deadlineMs) throw unavailable(error);
      }
      await sleep(RETRY_MS);
    }
  }

  #apply(request: UsageRequest): UsageAnswer {
    switch (request.kind) {
      case 'reserve':
        return this.#reserve(request);
      case 'release':
        return { isGranted: true, used: this.#release(request) };
      case 'read':
        return { isGranted: true, used: this.#read(request) };
    }
  }

  #reserve(request: ReserveRequest): UsageAnswer {
    const { idempotencyKey } = request;
    if (idempotencyKey === undefined) return this.#count(request);
    const unit = { ...selector(request), key: idempotencyKey };
    if (this.#statements.hold.run(unit).changes > 0) return { isGranted: true, used: this.#read(request) };
    const answer = this.#count(request);
    if (answer.isGranted) this.#statements.claim.run(unit);
    return answer;
  }

  #count(request: ReserveRequest): UsageAnswer {
    const { organizationId, day, cap } = request;
    const isOpen = cap === null || cap > 0;
    const used = isOpen ? this.#statements.count.get({ organizationId, day, cap }) : undefined;
    return { isGranted: used !== undefined, used: used ?? this.#read(request) };
  }

  #release(request: ReleaseRequest): number {
    const { idempotencyKey, ...unit } = selector(request);
    if (idempotencyKey === undefined) return this.#statements.uncount.get(unit) ?? 0;
    const key = { ...unit, key: idempotencyKey };
    const holders = this.#statements.letGo.get(key);
    if (holders !== 0) return this.#read(request);
    this.#statements.unclaim.run(key);
    return this.#statements.uncount.get(unit) ?? 0;
  }

  #read({ organizationId, day }: Pick<UnitKey, 'organizationId' | 'day'>): number {
    return this.#statements.read.get({ organizationId, day }) ?? 0;
  }
}

/** True where another process writes. Nothing of the batch was applied then. */
function isLocked(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function selector({ organizationId, apiKeyId, day, idempotencyKey }: UnitKey) {
  return { organizationId, apiKeyId, day, idempotencyKey };
}

/** Each statement touches at most one row, found by its primary key. */
function prepare(database: Database.Database) {
  const usageRow = 'organization_id = @organizationId and day = @day';
  const keyRow = 'day = @day and api_key_id = @apiKeyId and key = @key';
  const used = (sql: string) => database.prepare<[object], number>(sql).pluck();
  return {
    read: used(`select used from daily_usage where ${usageRow}`),
    /** No row where the cap is reached. */
    count: used(`
      insert into daily_usage (organization_id, day, used, cap, granted) values (@organizationId, @day, 1, @cap, 1)
      on conflict do update set used = used + 1, cap = excluded.cap where @cap is null or used < @cap
      returning used`),
    uncount: used(`update daily_usage set used = max(used - 1, 0) where ${usageRow} returning used`),
    hold: database.prepare<[object]>(`update idempotency_keys set holders = holders + 1 where ${keyRow}`),
    claim: database.prepare<[object]>(`
      insert into idempotency_keys (day, api_key_id, key, organization_id, holders)
      values (@day, @apiKeyId, @key, @organizationId, 1)`),
    /** The holders that are left; no row where the key holds nothing. */
    letGo: used(`update idempotency_keys set holders = holders - 1 where ${keyRow} returning holders`),
    unclaim: database.prepare<[object]>(`delete from idempotency_keys where ${keyRow}`),
  };
}
