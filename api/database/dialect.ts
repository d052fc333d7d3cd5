import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { ControlTables } from './tables/tables.ts';

/** Where the two engines differ in a statement. */
export function isPostgres(database: Kysely<ControlTables>): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * A list as a table with one row per element, whose column `value` is the element as JSON: `value->>0` is the first part of an array, as
 * text on PostgreSQL. It needs no alias. Many rows travel in one parameter so: with a parameter per value, a statement takes longer to put
 * together than to run.
 */
export function jsonRows(database: Kysely<ControlTables>, rows: readonly unknown[]): RawBuilder<unknown> {
  const text = JSON.stringify(rows);
  return isPostgres(database) ? sql`json_array_elements(cast(${text} as json)) as value` : sql`json_each(${text})`;
}
