import type Sqlite from 'better-sqlite3';
import type { SqliteEngine } from '../../database/control-database.ts';
import { whenNotBusy, withoutWaiting } from '../../database/sqlite-transaction.ts';
import type {
  Idempotency,
  ReleaseRequest,
  ReserveRequest,
  UnitKey,
  UsageAnswer,
  UsageRequest,
  UsageStore,
} from './usage-store.ts';

/**
 * Usage in SQLite: a batch is one transaction, so its requests share one sync to the disk. While another process writes, it tries
 * again and again.
 */
export class SqliteUsage implements UsageStore {
  readonly #engine: SqliteEngine;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #applyInTransaction: (requests: readonly UsageRequest[]) => UsageAnswer[];

  constructor(engine: SqliteEngine) {
    this.#engine = engine;
    this.#statements = prepareStatements(engine.connection);
    this.#applyInTransaction = engine.connection.transaction((requests: readonly UsageRequest[]) =>
      requests.map((request) => this.#apply(request)),
    ).immediate;
  }

  apply(requests: readonly UsageRequest[]): Promise<readonly UsageAnswer[]> {
    return whenNotBusy(this.#engine, () => {
      // Reading needs no lock, so it neither waits for another process's write nor holds one up.
      if (requests.every(({ kind }) => kind === 'read')) return requests.map((request) => this.#apply(request));
      return withoutWaiting(this.#engine, () => this.#applyInTransaction(requests));
    });
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
    const { organizationId, apiKeyId, day, idempotency } = request;
    if (idempotency === undefined) return this.#count(request);
    const holder = { day, apiKeyId, ...idempotency };
    if (this.#statements.hold.run(holder).changes > 0) return { isGranted: true, used: this.#read(request) };
    const answer = this.#count(request);
    if (answer.isGranted) this.#statements.claim.run({ ...holder, organizationId });
    return answer;
  }

  #count(request: ReserveRequest): UsageAnswer {
    const { organizationId, day, cap } = request;
    const isOpen = cap === null || cap > 0;
    const used = isOpen ? this.#statements.count.get({ organizationId, day, cap }) : undefined;
    return { isGranted: used !== undefined, used: used ?? this.#read(request) };
  }

  #release(request: ReleaseRequest): number {
    const { organizationId, apiKeyId, day, idempotency } = request;
    if (idempotency !== undefined) {
      const holder = { day, apiKeyId, ...idempotency };
      if (this.#statements.letGo.get(holder) !== 0) return this.#read(request);
      this.#statements.unclaim.run(holder);
    }
    return this.#statements.uncount.get({ organizationId, day }) ?? 0;
  }

  #read({ organizationId, day }: DaySelector): number {
    return this.#statements.read.get({ organizationId, day }) ?? 0;
  }
}

/** Names the row of an organization's day. */
type DaySelector = Pick<UnitKey, 'organizationId' | 'day'>;

/** Names the row of an Idempotency-Key. */
type HolderSelector = Pick<UnitKey, 'day' | 'apiKeyId'> & Idempotency;

/** Each statement touches at most one row, found by its primary key. */
function prepareStatements(connection: Sqlite.Database) {
  const dayRow = 'organization_id = @organizationId and day = @day';
  const keyRow = 'day = @day and api_key_id = @apiKeyId and key = @key and request = @request';
  return {
    /** Units used; no row where nothing was counted. */
    read: connection.prepare<[DaySelector], number>(`select used from daily_usage where ${dayRow}`).pluck(),
    /** Units used after one more; no row where the cap is reached. */
    count: connection
      .prepare<[DaySelector & { readonly cap: number | null }], number>(`
        insert into daily_usage (organization_id, day, used, cap, granted) values (@organizationId, @day, 1, @cap, 1)
        on conflict do update set used = used + 1, cap = excluded.cap where @cap is null or used < @cap
        returning used`)
      .pluck(),
    /** Units used after one less. */
    uncount: connection
      .prepare<[DaySelector], number>(`update daily_usage set used = max(used - 1, 0) where ${dayRow} returning used`)
      .pluck(),
    /** Adds a holder to a key that holds a unit. */
    hold: connection.prepare<[HolderSelector]>(`update idempotency_keys set holders = holders + 1 where ${keyRow}`),
    /** Lets a key hold the unit that was counted for it. */
    claim: connection.prepare<[HolderSelector & DaySelector]>(`
      insert into idempotency_keys (day, api_key_id, key, request, organization_id, holders)
      values (@day, @apiKeyId, @key, @request, @organizationId, 1)`),
    /** The holders that are left; no row where the key holds nothing. */
    letGo: connection
      .prepare<[HolderSelector], number>(
        `update idempotency_keys set holders = holders - 1 where ${keyRow} returning holders`,
      )
      .pluck(),
    unclaim: connection.prepare<[HolderSelector]>(`delete from idempotency_keys where ${keyRow}`),
  };
}
