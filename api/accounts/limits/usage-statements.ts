import { defineStatement, query, type Statement, type Work } from '../../database/statements.ts';
import type { DailyUsageRow, IdempotencyKeyRow } from '../../database/tables/tables.ts';
import type { ReadRequest, ReleaseRequest, ReserveRequest, UsageResponse } from './usage-store.ts';

/**
 * Each statement takes groups of requests, one per row. `order by` locks rows in primary-key order, which only `insert
 * … on conflict` preserves, so counts also go down by inserts (decision 0020).
 */

/** Units of an organization's day. */
export type UsedRow = Pick<DailyUsageRow, 'organization_id' | 'day' | 'used'>;
/** With the number of units granted now. */
export type CountRow = Pick<DailyUsageRow, 'organization_id' | 'day' | 'used' | 'granted'>;
export type HoldersRow = Pick<IdempotencyKeyRow, 'day' | 'api_key_id' | 'key' | 'request' | 'holders'>;

type Unit = ReserveRequest | ReleaseRequest;

/** Counts units up to the cap; no row if it was already reached. */
export function count(groups: Groups<ReserveRequest>): Work<readonly CountRow[]> {
  const values = groups.map((group) => {
    const cap = capOf(group);
    return [...organizationDayOf(group), Math.min(group.length, cap ?? group.length), cap];
  });
  return query(COUNT, values);
}

// `excluded` is the row a first count would insert.
const FREE = 'case when excluded.cap - u.used < excluded.used then excluded.cap - u.used else excluded.used end';
const COUNT = defineStatement(
  'usage-count',
  (rows, inOrder) => `
    insert into daily_usage as u (organization_id, day, used, cap, granted)
    select value->>0, value->>1, cast(value->>2 as bigint), cast(value->>3 as bigint), cast(value->>2 as bigint)
    from ${rows} where true ${inOrder('1, 2')}
    on conflict (organization_id, day) do update set used = u.used + ${FREE}, cap = excluded.cap, granted = ${FREE}
      where excluded.cap is null or u.used < excluded.cap
    returning organization_id, day, used, granted`,
);

/** Releases units per organization and day. */
export function uncount(groups: Groups<ReleaseRequest>): Work<readonly UsedRow[]> {
  return query(
    UNCOUNT,
    groups.map((group) => [...organizationDayOf(group), group.length]),
  );
}

const UNCOUNT = defineStatement(
  'usage-uncount',
  (rows, inOrder) => `
    insert into daily_usage as u (organization_id, day, used, cap, granted)
    select value->>0, value->>1, 0, null, cast(value->>2 as bigint)
    from ${rows} where true ${inOrder('1, 2')}
    on conflict (organization_id, day) do update
      set used = case when u.used > excluded.granted then u.used - excluded.granted else 0 end
    returning organization_id, day, used`,
);

/** No row where nothing was counted. */
export function readUsage(groups: Groups<Unit | ReadRequest>): Work<readonly UsedRow[]> {
  return query(READ, groups.map(organizationDayOf));
}

const READ = defineStatement(
  'usage-read',
  (rows) => `
    select organization_id, day, used from daily_usage where (organization_id, day) in
      (select value->>0, value->>1 from ${rows})`,
);

/** Returns the new number of holders. */
export function hold(groups: Groups<ReserveRequest>): Work<readonly HoldersRow[]> {
  return query(HOLD, groups.map(holdersOf));
}

const HOLD = changeHolders('hold', '+');

/**
 * Returns the new number of holders. A key cleaned up meanwhile gets a row again, which releases no unit and goes with
 * the next clean-up.
 */
export function unhold(groups: Groups<ReleaseRequest>): Work<readonly HoldersRow[]> {
  return query(UNHOLD, groups.map(holdersOf));
}

const UNHOLD = changeHolders('unhold', '-');

/** Deletes Idempotency-Keys whose rows this transaction has locked. */
export function removeKeys(requests: readonly Unit[]): Work<readonly unknown[]> {
  return query(REMOVE_KEYS, requests.map(keyColumns));
}

const REMOVE_KEYS = defineStatement(
  'usage-remove-keys',
  (rows) => `
    delete from idempotency_keys where (day, api_key_id, key, request) in
      (select value->>0, value->>1, value->>2, value->>3 from ${rows})`,
);

function changeHolders(name: string, sign: '+' | '-'): Statement {
  return defineStatement(
    `usage-${name}`,
    (rows, inOrder) => `
      insert into idempotency_keys as k (day, api_key_id, key, request, organization_id, holders)
      select value->>0, value->>1, value->>2, value->>3, value->>4, cast(value->>5 as bigint)
      from ${rows} where true ${inOrder('1, 2, 3, 4')}
      on conflict (day, api_key_id, key, request) do update set holders = k.holders ${sign} excluded.holders
      returning day, api_key_id, key, request, holders`,
  );
}

function holdersOf(group: Group<Unit>): readonly (string | number)[] {
  return [...keyColumns(group[0]), group[0].organizationId, group.length];
}

function keyColumns({ day, credentialId, idempotency }: Unit): readonly string[] {
  return [day, credentialId, idempotency?.key ?? '', idempotency?.request ?? ''];
}

/** Requests counted in one row; never empty. */
export type Group<T> = readonly [T, ...T[]];
type Groups<T> = readonly Group<T>[];

/** Preserves the order of the requests. */
export function groupsOf<T>(requests: readonly T[], rowOf: (request: T) => string): ReadonlyMap<string, Group<T>> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const request of requests) {
    const group = groups.get(rowOf(request));
    if (group === undefined) groups.set(rowOf(request), [request]);
    else group.push(request);
  }
  return groups;
}

export function dayOf({ organizationId, day }: Pick<ReadRequest, 'organizationId' | 'day'>): string {
  return `${organizationId} ${day}`;
}

export function keyOf({ day, credentialId, idempotency }: ReserveRequest | ReleaseRequest): string {
  return JSON.stringify([day, credentialId, idempotency?.key, idempotency?.request]);
}

function organizationDayOf([{ organizationId, day }]: Group<Pick<ReadRequest, 'organizationId' | 'day'>>) {
  return [organizationId, day] as const;
}

/** Caps can differ within a batch while terms change; the largest applies. */
export function capOf(group: readonly ReserveRequest[]): number | null {
  let largest = 0;
  for (const { cap } of group) {
    if (cap === null) return null;
    largest = Math.max(largest, cap);
  }
  return largest;
}

interface Counted {
  /** Units used, including those granted now. */
  readonly used: number;
  /** Reservations that got a unit. */
  readonly granted: number;
}

/** The first requests of a group get the units; `used` grows with each. */
export function responseFromCount({ used, granted }: Counted, index: number): UsageResponse {
  const left = Math.max(0, granted - index - 1);
  const isGranted = index < granted;
  return { isGranted, used: used - left, units: isGranted ? 1 : 0 };
}

export function isKeyed({ idempotency }: ReserveRequest | ReleaseRequest): boolean {
  return idempotency !== undefined;
}
