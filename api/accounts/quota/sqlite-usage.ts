import type Sqlite from 'better-sqlite3';
import type { SqliteEngine } from '../../database/control-database.ts';
import { whenNotBusy, withoutWaiting } from '../../database/transactions.ts';
import { answerFromCount, type Counted, capOf, dayOf, isKeyed } from './usage-groups.ts';
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
 * Usage in SQLite: a batch is one transaction, so its requests share one sync to the disk, and in it one statement counts all
 * reservations of an organization that have no Idempotency-Key. While another process writes, it tries again and again.
 */
export class SqliteUsage implements UsageStore {
  readonly #engine: SqliteEngine;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #applyInTransaction: (requests: readonly UsageRequest[]) => readonly UsageAnswer[];

  constructor(engine: SqliteEngine) {
    this.#engine = engine;
    this.#statements = prepareStatements(engine.connection);
    this.#applyInTransaction = engine.connection.transaction((requests: readonly UsageRequest[]) =>
      this.#apply(requests),
    ).immediate;
  }

  /** Requests one by one, then the reservations that are counted together; answers in the order of the requests. */
  apply(requests: readonly UsageRequest[]): Promise<readonly UsageAnswer[]> {
    return whenNotBusy(this.#engine, () => {
      // Reading needs no lock, so it neither waits for another process's write nor holds one up.
      if (requests.every(({ kind }) => kind === 'read')) return this.#apply(requests);
      return withoutWaiting(this.#engine, () => this.#applyInTransaction(requests));
    });
  }

  #apply(requests: readonly UsageRequest[]): readonly UsageAnswer[] {
    const answers = new Map<UsageRequest, UsageAnswer>();
    for (const request of requests) {
      if (!isCountedTogether(request)) answers.set(request, this.#applyOne(request));
    }
    for (const group of Map.groupBy(requests.filter(isCountedTogether), dayOf).values()) {
      const counted = this.#count(group);
      for (const [index, request] of group.entries()) answers.set(request, answerFromCount(counted, index));
    }
    return requests.map((request) => answers.get(request) ?? NOTHING);
  }

  #applyOne(request: UsageRequest): UsageAnswer {
    switch (request.kind) {
      case 'reserve':
        return this.#reserve(request);
      case 'release':
        return this.#release(request);
      case 'read':
        return this.#unchanged(request);
    }
  }

  /** For a request with an Idempotency-Key. */
  #reserve(request: ReserveRequest): UsageAnswer {
    const { organizationId, credentialId, day, idempotency } = request;
    const holder = { day, credentialId, key: idempotency?.key ?? '', request: idempotency?.request ?? '' };
    if (this.#statements.hold.run(holder).changes > 0) return this.#unchanged(request);
    const answer = answerFromCount(this.#count([request]), 0);
    if (answer.isGranted) this.#statements.claim.run({ ...holder, organizationId });
    return answer;
  }

  /** Takes a unit for each of these, which are of one organization and day, as long as there are some. */
  #count(group: readonly ReserveRequest[]): Counted {
    const [first] = group;
    if (first === undefined) return { used: 0, granted: 0 };
    const { organizationId, day } = first;
    const cap = capOf(group);
    const isOpen = cap === null || cap > 0;
    const counted = isOpen ? this.#statements.count.get({ organizationId, day, cap, units: group.length }) : undefined;
    return counted ?? { used: this.#read(first), granted: 0 };
  }

  #release(request: ReleaseRequest): UsageAnswer {
    const { organizationId, credentialId, day, idempotency } = request;
    if (idempotency !== undefined) {
      const holder = { day, credentialId, ...idempotency };
      if (this.#statements.letGo.get(holder) !== 0) return this.#unchanged(request);
      this.#statements.unclaim.run(holder);
    }
    return { isGranted: true, used: this.#statements.uncount.get({ organizationId, day }) ?? 0, units: -1 };
  }

  #unchanged(request: DaySelector): UsageAnswer {
    return { isGranted: true, used: this.#read(request), units: 0 };
  }

  #read({ organizationId, day }: DaySelector): number {
    return this.#statements.read.get({ organizationId, day }) ?? 0;
  }
}

const NOTHING: UsageAnswer = { isGranted: false, used: 0, units: 0 };

/** Names the row of an organization's day. */
type DaySelector = Pick<UnitKey, 'organizationId' | 'day'>;

/** The same, with what is wanted of it. */
interface CountSelector extends DaySelector {
  readonly cap: number | null;
  readonly units: number;
}

/** Names the row of an Idempotency-Key. */
type HolderSelector = Pick<UnitKey, 'day' | 'credentialId'> & Idempotency;

/** Each statement touches at most one row, found by its primary key. */
function prepareStatements(connection: Sqlite.Database) {
  const dayRow = 'organization_id = @organizationId and day = @day';
  const free = 'min(@units, ifnull(@cap - u.used, @units))';
  const keyRow = 'day = @day and api_key_id = @credentialId and key = @key and request = @request';
  return {
    /** Units used; no row where nothing was counted. */
    read: connection.prepare<[DaySelector], number>(`select used from daily_usage where ${dayRow}`).pluck(),
    /** Takes so many units, or as many as the cap leaves; no row where it is reached. `granted` is the number of the last count. */
    count: connection.prepare<[CountSelector], Counted>(`
      insert into daily_usage as u (organization_id, day, used, cap, granted)
      values (@organizationId, @day, min(@units, ifnull(@cap, @units)), @cap, min(@units, ifnull(@cap, @units)))
      on conflict do update set used = u.used + ${free}, cap = @cap, granted = ${free} where @cap is null or u.used < @cap
      returning used, granted`),
    /** Units used after one less. */
    uncount: connection
      .prepare<[DaySelector], number>(`update daily_usage set used = max(used - 1, 0) where ${dayRow} returning used`)
      .pluck(),
    /** Adds a holder to a key that holds a unit. */
    hold: connection.prepare<[HolderSelector]>(`update idempotency_keys set holders = holders + 1 where ${keyRow}`),
    /** Lets a key hold the unit that was counted for it. */
    claim: connection.prepare<[HolderSelector & DaySelector]>(`
      insert into idempotency_keys (day, api_key_id, key, request, organization_id, holders)
      values (@day, @credentialId, @key, @request, @organizationId, 1)`),
    /** The holders that are left; no row where the key holds nothing. */
    letGo: connection
      .prepare<[HolderSelector], number>(
        `update idempotency_keys set holders = holders - 1 where ${keyRow} returning holders`,
      )
      .pluck(),
    unclaim: connection.prepare<[HolderSelector]>(`delete from idempotency_keys where ${keyRow}`),
  };
}

function isCountedTogether(request: UsageRequest): request is ReserveRequest {
  return request.kind === 'reserve' && !isKeyed(request);
}
