import {
  type ColumnDefinitionBuilder,
  type CreateTableBuilder,
  type ForeignKeyConstraintBuilder,
  type Kysely,
  SqliteAdapter,
} from 'kysely';

/**
 * Connected programs and their tokens, in the tables of better-auth's OAuth provider under our names. A connection is
 * its consent; only `last_used_at` is ours.
 */
export async function createConnections(database: Kysely<unknown>): Promise<void> {
  const types = typesOf(database);
  await createClients(database, types);
  await createResources(database, types);
  await createConsents(database, types);
  await createTokens(database, types);
  for (const [table, column] of INDEXES)
    await database.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
}

type Types = ReturnType<typeof typesOf>;

/** better-auth's instants and JSON: text on SQLite, real types on PostgreSQL. */
function typesOf(database: Kysely<unknown>) {
  const isSqlite = database.getExecutor().adapter instanceof SqliteAdapter;
  return isSqlite ? ({ time: 'date', json: 'text' } as const) : ({ time: 'timestamptz', json: 'jsonb' } as const);
}

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const id = (column: ColumnDefinitionBuilder) => column.primaryKey();

async function createClients(database: Kysely<unknown>, { time, json }: Types): Promise<void> {
  await database.schema
    .createTable('oauth_clients')
    .addColumn('id', 'text', id)
    .addColumn('client_id', 'text', (column) => column.notNull().unique())
    .addColumn('client_secret', 'text')
    .addColumn('client_discovery_id', 'text')
    .addColumn('disabled', 'boolean')
    .addColumn('skip_consent', 'boolean')
    .addColumn('enable_end_session', 'boolean')
    .addColumn('subject_type', 'text')
    .addColumn('scopes', json)
    .addColumn('client_credentials_scopes', json)
    .addColumn('person_id', 'text', (column) => column.references('people.id'))
    .addColumn('created_at', time)
    .addColumn('updated_at', time)
    .addColumn('name', 'text')
    .addColumn('uri', 'text')
    .addColumn('icon', 'text')
    .addColumn('contacts', json)
    .addColumn('tos', 'text')
    .addColumn('policy', 'text')
    .addColumn('software_id', 'text')
    .addColumn('software_version', 'text')
    .addColumn('software_statement', 'text')
    .addColumn('redirect_uris', json, required)
    .addColumn('post_logout_redirect_uris', json)
    .addColumn('backchannel_logout_uri', 'text')
    .addColumn('backchannel_logout_session_required', 'boolean')
    .addColumn('token_endpoint_auth_method', 'text')
    .addColumn('application_type', 'text')
    .addColumn('jwks', 'text')
    .addColumn('jwks_uri', 'text')
    .addColumn('grant_types', json)
    .addColumn('response_types', json)
    .addColumn('require_pkce', 'boolean')
    .addColumn('dpop_bound_access_tokens', 'boolean')
    .addColumn('reference_id', 'text')
    .addColumn('metadata', json)
    .execute();
  await database.schema
    .createTable('oauth_client_assertions')
    .addColumn('id', 'text', id)
    .addColumn('expires_at', time, required)
    .execute();
}

async function createResources(database: Kysely<unknown>, { time, json }: Types): Promise<void> {
  await database.schema
    .createTable('oauth_resources')
    .addColumn('id', 'text', id)
    .addColumn('identifier', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', required)
    .addColumn('access_token_ttl', 'integer')
    .addColumn('refresh_token_ttl', 'integer')
    .addColumn('signing_algorithm', 'text')
    .addColumn('signing_key_id', 'text')
    .addColumn('allowed_scopes', json)
    .addColumn('custom_claims', json)
    .addColumn('dpop_bound_access_tokens_required', 'boolean')
    .addColumn('disabled', 'boolean')
    .addColumn('created_at', time)
    .addColumn('updated_at', time)
    .addColumn('policy_version', 'integer')
    .addColumn('metadata', json)
    .execute();
  await database.schema
    .createTable('oauth_client_resources')
    .addColumn('id', 'text', id)
    .addColumn('client_id', 'text', (column) =>
      column.notNull().references('oauth_clients.client_id').onDelete('cascade'),
    )
    .addColumn('resource_id', 'text', (column) =>
      column.notNull().references('oauth_resources.identifier').onDelete('cascade'),
    )
    .addColumn('metadata', json)
    .addColumn('created_at', time)
    .execute();
}

const OF_CONNECTION: ['client_id', 'person_id', 'organization_id'] = ['client_id', 'person_id', 'organization_id'];
const OF_MEMBER: ['organization_id', 'person_id'] = ['organization_id', 'person_id'];
const ends = (constraint: ForeignKeyConstraintBuilder) => constraint.onDelete('cascade');

/**
 * Tokens reference their connection: otherwise a token exchanged or refreshed while the connection ends would become
 * valid with the next one.
 */
async function createTokens(database: Kysely<unknown>, { time, json }: Types): Promise<void> {
  await ofConnection(database.schema.createTable('oauth_refresh_tokens'))
    .addColumn('token', 'text', (column) => column.notNull().unique())
    .addColumn('session_id', 'text', (column) => column.references('sessions.id').onDelete('set null'))
    .addColumn('authorization_code_id', 'text')
    .addColumn('resources', json)
    .addColumn('requested_user_info_claims', json)
    .addColumn('expires_at', time, required)
    .addColumn('created_at', time, required)
    .addColumn('revoked', time)
    .addColumn('rotated_at', time)
    .addColumn('rotation_replay_response', 'text')
    .addColumn('rotation_replay_expires_at', time)
    .addColumn('auth_time', time)
    .addColumn('confirmation', json)
    .addColumn('scopes', json, required)
    .addForeignKeyConstraint('oauth_refresh_tokens_of_connection', OF_CONNECTION, 'connections', OF_CONNECTION, ends)
    .execute();
  await ofConnection(database.schema.createTable('oauth_access_tokens'))
    .addColumn('token', 'text', (column) => column.notNull().unique())
    .addColumn('session_id', 'text', (column) => column.references('sessions.id').onDelete('set null'))
    .addColumn('authorization_code_id', 'text')
    .addColumn('resources', json)
    .addColumn('requested_user_info_claims', json)
    .addColumn('refresh_id', 'text', (column) => column.references('oauth_refresh_tokens.id').onDelete('cascade'))
    .addColumn('expires_at', time, required)
    .addColumn('created_at', time, required)
    .addColumn('revoked', time)
    .addColumn('confirmation', json)
    .addColumn('scopes', json, required)
    .addForeignKeyConstraint('oauth_access_tokens_of_connection', OF_CONNECTION, 'connections', OF_CONNECTION, ends)
    .execute();
}

async function createConsents(database: Kysely<unknown>, { time, json }: Types): Promise<void> {
  await ofConnection(database.schema.createTable('connections'))
    .addColumn('resources', json)
    .addColumn('requested_user_info_claims', json)
    .addColumn('scopes', json, required)
    .addColumn('created_at', time, required)
    .addColumn('updated_at', time, required)
    .addColumn('last_used_at', 'bigint')
    .addUniqueConstraint('connections_one_per_client', OF_CONNECTION)
    .addForeignKeyConstraint('connections_of_member', OF_MEMBER, 'members', OF_MEMBER, ends)
    .execute();
}

function ofConnection<T extends string>(table: CreateTableBuilder<T>) {
  return table
    .addColumn('id', 'text', id)
    .addColumn('client_id', 'text', (column) => column.notNull().references('oauth_clients.client_id'))
    .addColumn('person_id', 'text', (column) => column.notNull().references('people.id'))
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'));
}

const INDEXES = [
  ['oauth_clients', 'person_id'],
  ['oauth_clients', 'created_at'],
  ['oauth_client_resources', 'client_id'],
  ['oauth_client_resources', 'resource_id'],
  ['oauth_refresh_tokens', 'client_id'],
  ['oauth_refresh_tokens', 'session_id'],
  ['oauth_refresh_tokens', 'person_id'],
  ['oauth_refresh_tokens', 'authorization_code_id'],
  ['oauth_refresh_tokens', 'expires_at'],
  ['oauth_access_tokens', 'client_id'],
  ['oauth_access_tokens', 'session_id'],
  ['oauth_access_tokens', 'person_id'],
  ['oauth_access_tokens', 'authorization_code_id'],
  ['oauth_access_tokens', 'refresh_id'],
  ['oauth_access_tokens', 'expires_at'],
  ['connections', 'person_id'],
  ['connections', 'organization_id'],
] as const;
