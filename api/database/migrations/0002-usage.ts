import type { Kysely } from 'kysely';

/**
 * Units counted per organization and day, and the Idempotency-Keys that hold some. No foreign keys here: they would cost a
 * look-up on every request, and organizations are never deleted.
 */
export async function createUsage(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('daily_usage')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('used', 'bigint', (column) => column.notNull())
    .addColumn('cap', 'bigint')
    .addColumn('granted', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('daily_usage_key', ['organization_id', 'day'])
    .execute();
  await database.schema.createIndex('daily_usage_by_day').on('daily_usage').column('day').execute();
  await database.schema
    .createTable('idempotency_keys')
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('api_key_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('holders', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_key', ['day', 'api_key_id', 'key'])
    .execute();
}
