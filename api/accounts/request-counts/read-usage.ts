import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Day, timestampFromDate } from '../../../runtime/day.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { DailyUsageRow, Database, RequestCountsRow } from '../../database/tables/tables.ts';
import { shownProgramName } from '../organizations/organization-name.ts';
import {
  assertDayRange,
  COUNT_NAMES,
  type CountName,
  type DayRange,
  daysOf,
  NO_REQUESTS,
  partsOf,
  type RequestCounts,
  sumOfCounts,
} from './request-counts.ts';

/**
 * Empty for an unknown organization (specification "Usage details"). Rejects with `usage` for an invalid range, and
 * with `unavailable`.
 */
export function readUsage(database: Database, organizationId: string, range: DayRange) {
  return orUnavailable(async () => {
    assertDayRange(range);
    const units = await readUnits(database, { organizationId, ...range });
    const counted = new Map<Day, RequestCounts>();
    const details: Detail[] = [];
    for (const part of partsOf(range)) {
      const of = { organizationId, ...part };
      for (const row of await readGroups(database, of, ['day'])) counted.set(row.day, row);
      details.push(...(await readGroups(database, of, ['api_key_id', 'route', 'client_source'])));
      await nextTurn(); // Lets requests run first.
    }
    const days = daysOf(range).map((day) => {
      const { used = 0, cap: limit = null } = units.get(day) ?? {};
      // The limit at the day's last unit; null: unlimited, or no units.
      return { ...NO_REQUESTS, ...counted.get(day), day, units: used, limit };
    });
    return {
      organization_id: organizationId,
      from: range.from,
      to: range.to,
      total: sumOfCounts(days),
      /** Every day of the range, oldest first. */
      days,
      /** Keys with requests, most requests first. */
      keys: await nameKeys(database, organizationId, sumBy(details, 'api_key_id')),
      /** As documented; `unknown` for no route. */
      routes: sumBy(details, 'route'),
      /** Types of credential, most requests first. */
      client_sources: sumBy(details, 'client_source'),
    };
  });
}

/**
 * `units` of `total` and `days` are exact, from the daily quota. Everything else lags by seconds, which a crash may
 * lose (specification "Usage details").
 */
export type UsageReport = Awaited<ReturnType<typeof readUsage>>;

interface Selection extends DayRange {
  readonly organizationId: string;
}

type Detail = RequestCounts & Pick<RequestCountsRow, 'api_key_id' | 'route' | 'client_source'>;

async function readUnits(
  database: Database,
  { organizationId, from, to }: Selection,
): Promise<ReadonlyMap<Day, Pick<DailyUsageRow, 'used' | 'cap'>>> {
  const rows = await database
    .selectFrom('daily_usage')
    .select(['day', 'used', 'cap'])
    .where('organization_id', '=', organizationId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .execute();
  return new Map(rows.map((row) => [row.day, row]));
}

/** One row per combination of the columns. */
async function readGroups<G extends 'day' | 'api_key_id' | 'route' | 'client_source'>(
  database: Database,
  { organizationId, from, to }: Selection,
  columns: readonly G[],
): Promise<readonly (RequestCounts & Pick<RequestCountsRow, G>)[]> {
  const grain = sql.join(columns.map((column) => sql.ref(column)));
  const { rows } = await sql<RequestCounts & Pick<RequestCountsRow, G>>`
    select ${grain}, ${sql.join(COUNT_NAMES.map(total))} from request_counts
    where organization_id = ${organizationId} and day >= ${from} and day <= ${to}
    group by ${grain} order by ${grain}`.execute(database);
  return rows;
}

/** PostgreSQL sums bigint as numeric, which arrives as text. */
function total(name: CountName) {
  return sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`;
}

/** Most requests first. */
function sumBy<F extends 'api_key_id' | 'route' | 'client_source'>(
  details: readonly Detail[],
  field: F,
): readonly (RequestCounts & Record<F, string>)[] {
  const sums = [...Map.groupBy(details, (detail) => detail[field])].map(
    // TypeScript types a computed key as any string.
    ([value, group]) => ({ [field]: value, ...sumOfCounts(group) }) as RequestCounts & Record<F, string>,
  );
  return sums.toSorted((a, b) => b.requests - a.requests);
}

async function nameKeys(
  database: Database,
  organizationId: string,
  counted: readonly (RequestCounts & Pick<RequestCountsRow, 'api_key_id'>)[],
) {
  const nameOf = await readCredentialNames(database, organizationId);
  return counted.map(({ api_key_id: key_id, ...counts }) => {
    const { name: key_name, last_four, revoked_at } = nameOf(key_id);
    const revokedAt = revoked_at === null ? null : timestampFromDate(new Date(revoked_at));
    return { key_id, key_name, last_four, revoked_at: revokedAt, ...counts };
  });
}

/** Revoked ones included. */
export type KeyUsage = Awaited<ReturnType<typeof nameKeys>>[number];

export interface CredentialName {
  readonly name: string;
  /** Empty for a connection. */
  readonly last_four: string;
  /** Unix milliseconds; null if not revoked. */
  readonly revoked_at: number | null;
}

const NONE: CredentialName = { name: '', last_four: '', revoked_at: null };
/** Ended connections leave only their usage. */
const ENDED: CredentialName = { ...NONE, name: 'an ended connection' };

/** By credential id. */
export async function readCredentialNames(
  database: Database,
  organizationId: string,
): Promise<(id: string) => CredentialName> {
  const keys = await database
    .selectFrom('api_keys')
    .select(['id', 'name', 'last_four', 'revoked_at'])
    .where('organization_id', '=', organizationId)
    .execute();
  const connections = await database
    .selectFrom('connections')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'connections.client_id')
    .select(['connections.id', 'oauth_clients.name'])
    .where('connections.organization_id', '=', organizationId)
    .execute();
  const names = new Map<string, CredentialName>([
    ...keys.map(({ id, ...key }) => [id, key] as const),
    ...connections.map(({ id, name }) => [id, { ...NONE, name: shownProgramName(name) }] as const),
  ]);
  return (id) => names.get(id) ?? (id.startsWith('connection_') ? ENDED : NONE);
}
