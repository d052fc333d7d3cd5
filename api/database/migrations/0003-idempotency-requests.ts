import type { Kysely } from 'kysely';

/**
 * Binds an Idempotency-Key to the effective request. The primary key changes, which SQLite can't do in place, and rows live a
 * day: so the table is made anew, empty. A key that was used before on that day takes a unit once more.
 */
export async function bindIdempotencyKeys(database: Kysely<unknown>): Promise<void> {
  await database.schema.dropTable('idempotency_keys').execute();
  await database.schema
    .createTable('idempotency_keys')
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('api_key_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('holders', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_requests_key', ['day', 'api_key_id', 'key', 'request'])
    .execute();
}
