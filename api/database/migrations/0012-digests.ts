import type { Kysely } from 'kysely';

/** Digests by email that people chose. */
export async function createDigests(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('email_digests')
    .addColumn('person_id', 'text', (column) => column.primaryKey().references('people.id').onDelete('cascade'))
    .addColumn('frequency', 'text', (column) => column.notNull())
    .addColumn('reported_day', 'text')
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('claimed_by', 'text')
    .addColumn('claimed_until', 'bigint')
    .execute();
  await database.schema.createIndex('email_digests_by_due_at').on('email_digests').column('due_at').execute();
}
