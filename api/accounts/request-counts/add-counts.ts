import { type Kysely, sql } from 'kysely';
import { orUnavailable } from '../../database/database-errors.ts';
import type { ControlTables, RequestCountsRow } from '../../database/tables/tables.ts';
import { COUNT_NAMES } from './request-counts.ts';

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
