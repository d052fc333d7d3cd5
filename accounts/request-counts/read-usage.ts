import { type Kysely, sql } from 'kysely';
import { orUnavailable } from '../../database/database-errors.ts';
import type { ControlTables, RequestCountsRow } from '../../database/tables.ts';
import { timestampFromDate } from '../../schemas/day.ts';
import { assertDayRange, type DayRange, daysOf } from './day-range.ts';
import { COUNT_NAMES, type CountName, countsOf, NO_REQUESTS, type RequestCounts } from './request-counts.ts';
import type { DayUsage, KeyUsage, UsageReport } from './usage-report.ts';

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
    const of = { organizationId, ...range };
    const days = await readDays(database, of);
    return {
      organization_id: organizationId,
      from: range.from,
      to: range.to,
      total: countsOf((name) => days.reduce((sum, day) => sum + day[name], 0)),
      days,
      keys: await readKeys(database, of),
      routes: mostFirst(await readGroups(database, of, 'route')),
      client_sources: mostFirst(await readGroups(database, of, 'client_source')),
    };
  });
}

/** Whose counts are read, of which days. */
interface Selection extends DayRange {
  readonly organizationId: string;
}

/** Units are those of the quota itself. */
async function readDays(database: Kysely<ControlTables>, of: Selection): Promise<readonly DayUsage[]> {
  const counted = new Map((await readGroups(database, of, 'day')).map((row) => [row.day, row]));
  const used = await database
    .selectFrom('daily_usage')
    .select(['day', 'used'])
    .where('organization_id', '=', of.organizationId)
    .where('day', '>=', of.from)
    .where('day', '<=', of.to)
    .execute();
  const units = new Map(used.map((row) => [row.day, row.used]));
  return daysOf(of).map((day) => ({ ...NO_REQUESTS, ...counted.get(day), day, units: units.get(day) ?? 0 }));
}

async function readKeys(database: Kysely<ControlTables>, of: Selection): Promise<readonly KeyUsage[]> {
  const counted = mostFirst(await readGroups(database, of, 'api_key_id'));
  const keys = await database
    .selectFrom('api_keys')
    .select(['id', 'name', 'last_four', 'revoked_at'])
    .where('organization_id', '=', of.organizationId)
    .execute();
  const known = new Map(keys.map((key) => [key.id, key]));
  return counted.map(({ api_key_id: key_id, ...counts }) => {
    const { name = '', last_four = '', revoked_at = null } = known.get(key_id) ?? {};
    const revokedAt = revoked_at === null ? null : timestampFromDate(new Date(revoked_at));
    return { key_id, key_name: name, last_four, revoked_at: revokedAt, ...counts };
  });
}

/** A column by which requests are told apart. */
type Grain = 'day' | 'api_key_id' | 'route' | 'client_source';

/** One row per value of a column. */
async function readGroups<G extends Grain>(
  database: Kysely<ControlTables>,
  { organizationId, from, to }: Selection,
  grain: G,
): Promise<readonly (RequestCounts & Pick<RequestCountsRow, G>)[]> {
  const { rows } = await sql<RequestCounts & Pick<RequestCountsRow, G>>`
    select ${sql.ref(grain)}, ${sql.join(COUNT_NAMES.map(total))} from request_counts
    where organization_id = ${organizationId} and day >= ${from} and day <= ${to}
    group by ${sql.ref(grain)} order by ${sql.ref(grain)}`.execute(database);
  return rows;
}

/** The sum as an integer: PostgreSQL's of bigint is numeric, which arrives as text. */
function total(name: CountName) {
  return sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`;
}

function mostFirst<T extends RequestCounts>(rows: readonly T[]): readonly T[] {
  return rows.toSorted((a, b) => b.requests - a.requests);
}
