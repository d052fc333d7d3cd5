import type { Kysely } from 'kysely';

/** What the service itself has to remember: secrets that it made, and the last probe of whether it can write. */
export async function createServiceValues(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('service_values')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'bigint', (column) => column.notNull())
    .execute();
}
