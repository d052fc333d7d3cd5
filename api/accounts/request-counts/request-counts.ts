import { type Kysely, sql } from 'kysely';
import { orUnavailable } from '../../database/database-errors.ts';
import type { ControlTables, RequestCountsRow } from '../../database/tables/tables.ts';

/**
 * What is counted of the requests of one UTC day, API key, route and client source (specification "Usage details"), under the
 * names that the columns of `request_counts`, the CSV and JSON have. A request with a valid key counts once, at its end.
 */
export const COUNT_NAMES = [
  /** All of them, whatever became of them. */
  'requests',
  /** Units of the daily quota that they took and did not give back. */
  'units',
  /** Answered 304, which costs no unit. */
  'not_modified',
  /** Answered with data on a unit that their Idempotency-Key held already. */
  'shared_units',
  /** Refused with 429 by the organization's burst limit or the route's backstop. */
  'rate_limited',
  /** Refused with 429 because the daily quota was used up. */
  'quota_exceeded',
  /** Refused with another 4xx. */
  'client_errors',
  /** Answered 5xx. */
  'server_errors',
  /** Whose client was gone before anything of the answer was sent. */
  'aborted',
] as const;
export type CountName = (typeof COUNT_NAMES)[number];

export type RequestCounts = Readonly<Record<CountName, number>>;

export const NO_REQUESTS: RequestCounts = countsOf(() => 0);

/** Counts that are told name by name. */
export function countsOf(count: (name: CountName) => number): RequestCounts {
  // fromEntries doesn't know that all names are there.
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, count(name)])) as RequestCounts;
}

export function sumOfCounts(all: readonly RequestCounts[]): RequestCounts {
  return countsOf((name) => all.reduce((sum, counts) => sum + counts[name], 0));
}

/** Names a row. */
const KEY = ['organization_id', 'day', 'api_key_id', 'route', 'client_source'] as const;

/**
 * Adds to the counts of these rows, each of which is named once, in one statement. Several servers add to the same rows, each
 * locking them in one order, so they wait for each other but never in a circle. Rejects with `unavailable`; then nothing was
 * added, unless PostgreSQL's connection broke between its commit and its answer.
 */
export function addCounts(database: Kysely<ControlTables>, rows: readonly RequestCountsRow[]): Promise<void> {
  return orUnavailable(async () => {
    await database
      .insertInto('request_counts')
      .values(rows.toSorted(byKey))
      .onConflict((conflict) =>
        conflict
          .columns(KEY)
          .doUpdateSet(
            Object.fromEntries(
              COUNT_NAMES.map((name) => [
                name,
                sql<number>`${sql.ref(`request_counts.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
              ]),
            ),
          ),
      )
      .execute();
  });
}

function byKey(a: RequestCountsRow, b: RequestCountsRow): number {
  for (const name of KEY) {
    if (a[name] < b[name]) return -1;
    if (a[name] > b[name]) return 1;
  }
  return 0;
}
