import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type Day, timestampFromDate } from '../../../runtime/day.ts';
import { orUnavailable } from '../../database/errors/database-errors.ts';
import type { ControlTables, DailyUsageRow, RequestCountsRow } from '../../database/tables/tables.ts';
import { readCredentialNames } from './credential-names.ts';
import { assertDayRange, type DayRange, daysOf, partsOf } from './day-range.ts';
import { COUNT_NAMES, type CountName, NO_REQUESTS, type RequestCounts, sumOfCounts } from './request-counts.ts';
import type { KeyUsage, UsageReport } from './usage-report.ts';

/**
 * What an organization used on these days (specification "Usage details"); nothing for an unknown one. Rejects with `usage` where
 * the range makes no sense, and with `unavailable`.
 */
export function readUsage(
  database: Kysely<ControlTables>,
  organizationId: string,
  range: DayRange,
): Promise<UsageReport> {
  return orUnavailable(async () => {
    assertDayRange(range);
    const units = await readUnits(database, { organizationId, ...range });
    const counted = new Map<Day, RequestCounts>();
    const details: Detail[] = [];
    for (const part of partsOf(range)) {
      const of = { organizationId, ...part };
      for (const row of await readGroups(database, of, ['day'])) counted.set(row.day, row);
      details.push(...(await readGroups(database, of, ['api_key_id', 'route', 'client_source'])));
      await nextTurn(); // Requests come first.
    }
    const days = daysOf(range).map((day) => {
      const { used = 0, cap: limit = null } = units.get(day) ?? {};
      return { ...NO_REQUESTS, ...counted.get(day), day, units: used, limit };
    });
    return {
      organization_id: organizationId,
      from: range.from,
      to: range.to,
      total: sumOfCounts(days),
      days,
      keys: await nameKeys(database, organizationId, sumBy(details, 'api_key_id')),
      routes: sumBy(details, 'route'),
      client_sources: sumBy(details, 'client_source'),
    };
  });
}

/** Whose counts are read, of which days. */
interface Selection extends DayRange {
  readonly organizationId: string;
}

/** What some days come to by key, route and client source. */
type Detail = RequestCounts & Pick<RequestCountsRow, 'api_key_id' | 'route' | 'client_source'>;

/** Units of the quota itself, and the limit under which the last was taken. */
async function readUnits(
  database: Kysely<ControlTables>,
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

/** One row per value of these columns. */
async function readGroups<G extends 'day' | 'api_key_id' | 'route' | 'client_source'>(
  database: Kysely<ControlTables>,
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

/** The sum as an integer: PostgreSQL's of bigint is numeric, which arrives as text. */
function total(name: CountName) {
  return sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`;
}

/** The sums by the values of a field, most requests first. */
function sumBy<F extends 'api_key_id' | 'route' | 'client_source'>(
  details: readonly Detail[],
  field: F,
): readonly (RequestCounts & Record<F, string>)[] {
  const sums = [...Map.groupBy(details, (detail) => detail[field])].map(
    // A computed name is any text to the compiler.
    ([value, group]) => ({ [field]: value, ...sumOfCounts(group) }) as RequestCounts & Record<F, string>,
  );
  return sums.toSorted((a, b) => b.requests - a.requests);
}

async function nameKeys(
  database: Kysely<ControlTables>,
  organizationId: string,
  counted: readonly (RequestCounts & Pick<RequestCountsRow, 'api_key_id'>)[],
): Promise<readonly KeyUsage[]> {
  const nameOf = await readCredentialNames(database, organizationId);
  return counted.map(({ api_key_id: key_id, ...counts }) => {
    const { name: key_name, last_four, revoked_at } = nameOf(key_id);
    const revokedAt = revoked_at === null ? null : timestampFromDate(new Date(revoked_at));
    return { key_id, key_name, last_four, revoked_at: revokedAt, ...counts };
  });
}
