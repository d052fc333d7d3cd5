import type { Kysely } from 'kysely';

/**
 * What became of the requests of a day, by key, route and client source. No foreign keys: rows are added to by every server every
 * few seconds, and neither organizations nor keys are ever deleted.
 */
export async function createRequestCounts(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('request_counts')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('api_key_id', 'text', (column) => column.notNull())
    .addColumn('route', 'text', (column) => column.notNull())
    .addColumn('client_source', 'text', (column) => column.notNull())
    .addColumn('requests', 'bigint', (column) => column.notNull())
    .addColumn('units', 'bigint', (column) => column.notNull())
    .addColumn('not_modified', 'bigint', (column) => column.notNull())
    .addColumn('shared_units', 'bigint', (column) => column.notNull())
    .addColumn('rate_limited', 'bigint', (column) => column.notNull())
    .addColumn('quota_exceeded', 'bigint', (column) => column.notNull())
    .addColumn('client_errors', 'bigint', (column) => column.notNull())
    .addColumn('server_errors', 'bigint', (column) => column.notNull())
    .addColumn('aborted', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('request_counts_key', ['organization_id', 'day', 'api_key_id', 'route', 'client_source'])
    .execute();
  await database.schema.createIndex('request_counts_by_day').on('request_counts').column('day').execute();
}
