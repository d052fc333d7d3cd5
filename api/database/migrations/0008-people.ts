import { type Kysely, SqliteAdapter } from 'kysely';

/**
 * People, sessions and credentials in better-auth's tables under our names; memberships, attempt limits and the origin
 * of audit entries.
 */
export async function createPeople(database: Kysely<unknown>): Promise<void> {
  await createSignIn(database, timeType(database));
  await createMembers(database);
  await database.schema
    .createTable('sign_in_limits')
    .addColumn('subject', 'text', (column) => column.primaryKey())
    .addColumn('hits', 'integer', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .execute();
  await database.schema.alterTable('organizations').addColumn('created_by', 'text').execute();
  await database.schema.createIndex('organizations_by_created_by').on('organizations').column('created_by').execute();
  await database.schema.alterTable('audit_log').addColumn('origin', 'text').execute();
}

/** better-auth's instants: ISO text on SQLite, in a column declared as date; timestamptz on PostgreSQL. */
function timeType(database: Kysely<unknown>): 'date' | 'timestamptz' {
  return database.getExecutor().adapter instanceof SqliteAdapter ? 'date' : 'timestamptz';
}

async function createSignIn(database: Kysely<unknown>, time: 'date' | 'timestamptz'): Promise<void> {
  await database.schema
    .createTable('people')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('email_verified', 'boolean', (column) => column.notNull())
    .addColumn('image', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('updated_at', time, (column) => column.notNull())
    .execute();
  await database.schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', time, (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('updated_at', time, (column) => column.notNull())
    .addColumn('address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('organization_id', 'text')
    .execute();
  await database.schema
    .createTable('sign_in_accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('provider_id', 'text', (column) => column.notNull())
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id').onDelete('cascade'))
    .addColumn('access_token', 'text')
    .addColumn('refresh_token', 'text')
    .addColumn('id_token', 'text')
    .addColumn('access_token_expires_at', time)
    .addColumn('refresh_token_expires_at', time)
    .addColumn('scope', 'text')
    .addColumn('password', 'text')
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('updated_at', time, (column) => column.notNull())
    .execute();
  await database.schema
    .createTable('verifications')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('identifier', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('expires_at', time, (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('updated_at', time, (column) => column.notNull())
    .execute();
  await indexSignIn(database);
}

async function indexSignIn(database: Kysely<unknown>): Promise<void> {
  const indexes = [
    ['sessions', 'person_id'],
    ['sessions', 'expires_at'],
    ['sign_in_accounts', 'person_id'],
    ['verifications', 'identifier'],
    ['verifications', 'expires_at'],
  ] as const;
  for (const [table, column] of indexes)
    await database.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
}

async function createMembers(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('members')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('members_key', ['organization_id', 'person_id'])
    .execute();
  await database.schema.createIndex('members_by_person_id').on('members').column('person_id').execute();
  await database.schema
    .createTable('invitations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('invited_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('invitations_one_per_address', ['organization_id', 'email'])
    .execute();
  await database.schema.createIndex('invitations_by_email').on('invitations').column('email').execute();
  await database.schema.createIndex('invitations_by_expires_at').on('invitations').column('expires_at').execute();
}
