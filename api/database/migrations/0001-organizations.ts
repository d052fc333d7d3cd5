import type { Kysely } from 'kysely';

/** Organizations with their subscriptions, keys and verified integrations. */
export async function createOrganizations(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('organizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema
    .createTable('subscriptions')
    .addColumn('organization_id', 'text', (column) => column.primaryKey().references('organizations.id'))
    .addColumn('plan', 'text', (column) => column.notNull())
    .addColumn('plan_version', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('contract', 'text', (column) => column.notNull())
    .addColumn('period_end', 'bigint')
    .addColumn('grace_until', 'bigint')
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .execute();
  await createKeys(database);
  await createIntegrations(database);
}

async function createKeys(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('last_four', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await database.schema.createIndex('api_keys_by_organization_id').on('api_keys').column('organization_id').execute();
}

async function createIntegrations(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('verified_integrations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('verified_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await database.schema
    .createIndex('verified_integrations_by_organization_id')
    .on('verified_integrations')
    .column('organization_id')
    .execute();
}
