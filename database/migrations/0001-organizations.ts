import type { Kysely, Migration } from 'kysely';

/**
 * The steps that make the control database, in the order of their names. One set for SQLite and PostgreSQL: types and
 * statements that both know. A step that was released is never changed; the next one changes what it made.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-organizations': { up: createOrganizations },
  '0002-usage': { up: createUsage },
};

async function createOrganizations(database: Kysely<unknown>): Promise<void> {
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
  await createIndex(database, 'api_keys', 'organization_id');
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
  await createIndex(database, 'verified_integrations', 'organization_id');
}

/** No foreign keys here: they would cost a look-up on every request, and organizations are never deleted. */
async function createUsage(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('daily_usage')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('used', 'bigint', (column) => column.notNull())
    .addColumn('cap', 'bigint')
    .addColumn('granted', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('daily_usage_key', ['organization_id', 'day'])
    .execute();
  await createIndex(database, 'daily_usage', 'day');
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

async function createIndex(database: Kysely<unknown>, table: string, column: string): Promise<void> {
  await database.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
}
