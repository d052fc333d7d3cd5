import type { Kysely } from 'kysely';

/** The instant from which on a key ends by itself, and the log of what operators and people did. */
export async function addAuditAndExpiry(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('api_keys').addColumn('expires_at', 'bigint').execute();
  await database.schema
    .createTable('audit_log')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('organization_id', 'text')
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text')
    .addColumn('details', 'text', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('audit_log_by_organization_id')
    .on('audit_log')
    .columns(['organization_id', 'id'])
    .execute();
}
