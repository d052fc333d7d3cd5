import type { QueryConfig } from 'pg';
import type { DailyUsageRow, IdempotencyKeyRow } from '../../database/tables/tables.ts';
import { capOf } from './usage-groups.ts';
import type { ReadRequest, ReleaseRequest, ReserveRequest } from './usage-store.ts';

/**
 * The statements of `postgres-usage.ts`. Each takes groups of requests as arrays, one element per row it touches, and is
 * prepared once per connection. Where several rows are locked, `order by` locks them in the order of their primary keys; only
 * `insert … on conflict` keeps such an order, which is why counts go down by inserts too (decision 0020).
 */

/** An organization's units of a day. */
export type UsedRow = Pick<DailyUsageRow, 'organization_id' | 'day' | 'used'>;
/** The same with how many of the wanted units were granted. */
export type CountRow = Pick<DailyUsageRow, 'organization_id' | 'day' | 'used' | 'granted'>;
/** The holders of an Idempotency-Key. */
export type HoldersRow = Pick<IdempotencyKeyRow, 'day' | 'api_key_id' | 'key' | 'request' | 'holders'>;

type Unit = ReserveRequest | ReleaseRequest;
type Groups<T> = readonly (readonly T[])[];

/** Counts units per organization and day, as many as the cap leaves, which is `granted`. `excluded` is the row of a first count. */
export function count(groups: Groups<ReserveRequest>): QueryConfig {
  const free = 'least(excluded.used, greatest(coalesce(excluded.cap - u.used, excluded.used), 0))';
  return {
    name: 'usage-count',
    text: `
      insert into daily_usage as u (organization_id, day, used, cap, granted)
      select organization_id, day, least(units, cap), cap, least(units, cap)
      from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as w (organization_id, day, units, cap)
      order by organization_id, day
      on conflict (organization_id, day) do update set used = u.used + ${free}, cap = excluded.cap, granted = ${free}
      returning organization_id, day, used, granted`,
    values: [...organizationDays(groups), groups.map((group) => group.length), groups.map(capOf)],
  };
}

/** Gives units back, per organization and day. */
export function uncount(groups: Groups<ReleaseRequest>): QueryConfig {
  return {
    name: 'usage-uncount',
    text: `
      insert into daily_usage as u (organization_id, day, used, cap, granted)
      select organization_id, day, 0, null, units
      from unnest($1::text[], $2::text[], $3::bigint[]) as w (organization_id, day, units)
      order by organization_id, day
      on conflict (organization_id, day) do update set used = greatest(u.used - excluded.granted, 0)`,
    values: [...organizationDays(groups), groups.map((group) => group.length)],
  };
}

/** The units of each organization and day; no row where nothing was counted. */
export function readUsage(groups: Groups<Unit | ReadRequest>): QueryConfig {
  return {
    name: 'usage-read',
    text: `
      select organization_id, day, used from daily_usage
      where (organization_id, day) in (select * from unnest($1::text[], $2::text[]))`,
    values: organizationDays(groups),
  };
}

/** Adds a holder per request to each Idempotency-Key; answers with the holders after that. */
export function claim(groups: Groups<ReserveRequest>): QueryConfig {
  return { name: 'key-claim', text: changeHolders('+'), values: holderChanges(groups) };
}

/**
 * Takes a holder per request from each Idempotency-Key; answers with the holders after that. A key whose row was cleaned up
 * meanwhile gets a row again: no unit is given back for it, and the next clean-up removes it.
 */
export function letGo(groups: Groups<ReleaseRequest>): QueryConfig {
  return { name: 'key-let-go', text: changeHolders('-'), values: holderChanges(groups) };
}

/** Removes Idempotency-Keys, whose rows this transaction has locked already. */
export function unclaim(requests: readonly Unit[]): QueryConfig {
  return {
    name: 'key-unclaim',
    text: `
      delete from idempotency_keys
      where (day, api_key_id, key, request) in (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]))`,
    values: keyColumns(requests),
  };
}

function changeHolders(sign: '+' | '-'): string {
  return `
    insert into idempotency_keys as k (day, api_key_id, key, request, organization_id, holders)
    select day, api_key_id, key, request, organization_id, holders
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
      as w (day, api_key_id, key, request, organization_id, holders)
    order by day, api_key_id, key, request
    on conflict (day, api_key_id, key, request) do update set holders = k.holders ${sign} excluded.holders
    returning day, api_key_id, key, request, holders`;
}

function holderChanges(groups: Groups<Unit>): unknown[] {
  const firsts = groups.flatMap((group) => group.slice(0, 1));
  const organizations = firsts.map(({ organizationId }) => organizationId);
  return [...keyColumns(firsts), organizations, groups.map((group) => group.length)];
}

function keyColumns(requests: readonly Unit[]): unknown[] {
  return [
    requests.map(({ day }) => day),
    requests.map(({ credentialId }) => credentialId),
    requests.map(({ idempotency }) => idempotency?.key ?? ''),
    requests.map(({ idempotency }) => idempotency?.request ?? ''),
  ];
}

function organizationDays(groups: Groups<Unit | ReadRequest>): unknown[] {
  const firsts = groups.flatMap((group) => group.slice(0, 1));
  return [firsts.map(({ organizationId }) => organizationId), firsts.map(({ day }) => day)];
}
