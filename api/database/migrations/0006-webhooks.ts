import type { Kysely } from 'kysely';

/** Endpoints, events, deliveries with attempts, and the position in the feed. */
export async function createWebhooks(database: Kysely<unknown>): Promise<void> {
  await createEndpoints(database);
  await createEvents(database);
  await createDeliveries(database);
  await database.schema
    .createTable('webhook_attempts')
    .addColumn('delivery_id', 'text', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('duration_ms', 'integer', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('message', 'text')
    .addColumn('answer', 'text')
    .addPrimaryKeyConstraint('webhook_attempts_pkey', ['delivery_id', 'attempt'])
    .execute();
  await database.schema
    .createTable('webhook_progress')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('record', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('claimed_by', 'text')
    .addColumn('claimed_until', 'bigint')
    .execute();
}

async function createEndpoints(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('webhook_endpoints')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('topics', 'text', (column) => column.notNull())
    .addColumn('filters', 'text', (column) => column.notNull())
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('sealed_secret', 'text', (column) => column.notNull())
    .addColumn('secret_changed_at', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('state_changed_at', 'bigint', (column) => column.notNull())
    .addColumn('consecutive_failures', 'integer', (column) => column.notNull())
    .addColumn('notice', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex('webhook_endpoints_by_organization_id')
    .on('webhook_endpoints')
    .column('organization_id')
    .execute();
}

async function createEvents(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('webhook_events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('topic', 'text', (column) => column.notNull())
    .addColumn('endpoint_id', 'text')
    .addColumn('occurred_at', 'bigint', (column) => column.notNull())
    .addColumn('seq', 'bigint')
    .addColumn('data', 'text', (column) => column.notNull())
    .execute();
}

async function createDeliveries(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('endpoint_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('claimed_by', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .execute();
  // Only waiting deliveries, so the index stays small.
  await database.schema
    .createIndex('webhook_deliveries_waiting')
    .on('webhook_deliveries')
    .columns(['endpoint_id', 'due_at'])
    .where('state' as never, '=', 'waiting')
    .execute();
  await database.schema
    .createIndex('webhook_deliveries_by_endpoint_id')
    .on('webhook_deliveries')
    .columns(['endpoint_id', 'id'])
    .execute();
  await database.schema
    .createIndex('webhook_deliveries_by_event_id')
    .on('webhook_deliveries')
    .column('event_id')
    .execute();
}
