import type { Kysely } from 'kysely';

/** Where an organization is told what concerns it. */
export async function addOrganizationEmail(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('organizations').addColumn('email', 'text').execute();
}
