import { AppError } from '../../../runtime/errors.ts';
import { type Database, dateOrNull, type Transaction } from '../../database/tables/tables.ts';
import type { AuditedChanges } from '../audit.ts';
import { shownProgramName } from '../organizations/organization-name.ts';
import type { MemberKey } from './people.ts';
import { assertMember, lockAsMember, PERSON_COLUMNS, personFromRow } from './person.ts';

/** Relative to the public URL. */
export const OAUTH_PATHS = {
  authorize: '/oauth2/authorize',
  token: '/oauth2/token',
  register: '/oauth2/register',
  revoke: '/oauth2/revoke',
} as const;

/** The only scope for data. */
export const READ_SCOPE = 'read';
/** Without refresh tokens people would have to consent every hour. */
export const REFRESH_SCOPE = 'offline_access';

/** Newest first. Rejects with `not_found` if the actor isn't a member. */
export function listConnections(organizationId: string, changes: AuditedChanges): Promise<readonly Connection[]> {
  return changes.read(async (database) => {
    await assertMember(database, organizationId, changes.actor);
    const rows = await selectConnections(database)
      .where('connections.organization_id', '=', organizationId)
      .orderBy('connections.created_at', 'desc')
      .orderBy('connections.id', 'desc')
      .execute();
    return rows.map(connectionFrom);
  });
}

/** In force everywhere within 5 seconds. Rejects with `not_found`. */
export function revokeConnection(
  { organizationId, connectionId }: { readonly organizationId: string; readonly connectionId: string },
  changes: AuditedChanges,
): Promise<Connection> {
  return changes.change(async (transaction, note) => {
    await lockAsMember(transaction, organizationId, changes.actor);
    const row = await selectConnections(transaction)
      .where('connections.id', '=', connectionId)
      .where('connections.organization_id', '=', organizationId)
      .executeTakeFirst();
    if (row === undefined)
      throw new AppError('not_found', `there is no connection ${connectionId} in ${organizationId}`);
    await deleteConnections(transaction, { organizationId, personId: row.person_id, clientId: row.client_id });
    const connection = connectionFrom(row);
    const details = { client: connection.clientName, email: connection.person.email };
    await note({ organizationId, action: 'connection.revoke', subjectId: connectionId, details });
    return connection;
  });
}

function selectConnections(database: Database) {
  return database
    .selectFrom('connections')
    .innerJoin('people', 'people.id', 'connections.person_id')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'connections.client_id')
    .select([
      'connections.id',
      'connections.client_id',
      'connections.organization_id',
      'connections.created_at',
      'connections.last_used_at',
      'oauth_clients.name',
    ])
    .select(PERSON_COLUMNS);
}

type SelectedConnection = Awaited<ReturnType<ReturnType<typeof selectConnections>['executeTakeFirstOrThrow']>>;

function connectionFrom(row: SelectedConnection) {
  return {
    /** `connection_` and a ULID; not secret. */
    id: row.id,
    organizationId: row.organization_id,
    /** The program's own claim, unverified. */
    clientName: shownProgramName(row.name),
    person: personFromRow(row),
    createdAt: new Date(row.created_at),
    /** Lags by a few seconds, as for keys. */
    lastUsedAt: dateOrNull(row.last_used_at),
  };
}

/**
 * A program that may read for an organization over MCP (specification "Connected programs"). Ends with the person's
 * membership.
 */
export type Connection = Readonly<ReturnType<typeof connectionFrom>>;

/** All connections of a member, or those of one program, with their tokens. */
export async function deleteConnections(
  transaction: Transaction,
  { organizationId, personId, clientId }: MemberKey & { readonly clientId?: string },
): Promise<void> {
  // Access tokens first: they reference refresh tokens.
  for (const table of ['oauth_access_tokens', 'oauth_refresh_tokens', 'connections'] as const) {
    const ofPerson = transaction
      .deleteFrom(table)
      .where('organization_id', '=', organizationId)
      .where('person_id', '=', personId);
    await (clientId === undefined ? ofPerson : ofPerson.where('client_id', '=', clientId)).execute();
  }
}
