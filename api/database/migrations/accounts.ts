import type { Kysely } from 'kysely';

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

/**
 * Usage and Idempotency-Keys. Without foreign keys, which would cost a look-up per request; organizations are never
 * deleted.
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

/**
 * Binds an Idempotency-Key to the effective request. SQLite can't change a primary key and rows live a day, so the
 * table is recreated empty; a key used earlier that day takes another unit.
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

export async function createServiceValues(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('service_values')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .execute();
}

/** The address for notices. */
export async function addOrganizationEmail(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('organizations').addColumn('email', 'text').execute();
}

/**
 * Request counts per day, key, route and client source. Without foreign keys: written by every server every few
 * seconds, and neither organizations nor keys are ever deleted.
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
