import { AppError } from '../../../runtime/errors.ts';
import { type Database, dateOrNull, type Transaction } from '../../database/tables/tables.ts';
import type { AuditedChanges } from '../audit.ts';
import { shownProgramName } from '../organizations/organization-name.ts';
import type { MemberKey } from './people.ts';
import { assertMember, lockAsMember, PERSON_COLUMNS, personFromRow } from './person.ts';

/** Paths of the provider, below the service's address. */
export const OAUTH_PATHS = {
  authorize: '/oauth2/authorize',
  token: '/oauth2/token',
  register: '/oauth2/register',
  revoke: '/oauth2/revoke',
} as const;

/** What a connection may do; there is nothing else yet. */
export const READ_SCOPE = 'read';
/** That it gets refresh tokens: without them a person would be asked every hour. */
export const REFRESH_SCOPE = 'offline_access';

/** The connections of an organization, newest first. Rejects with `not_found` where the actor does not belong to it. */
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

/**
 * Ends a connection with all its tokens, for every member; in force everywhere within 5 seconds. Rejects with `not_found` where it is
 * none of the organization's.
 */
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
    if (row === undefined) throw new AppError('not_found', `${connectionId} is no connection of ${organizationId}`);
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
    /** `connection_` and a ULID: no secret. */
    id: row.id,
    organizationId: row.organization_id,
    /** As the program calls itself: nobody has proven it. */
    clientName: shownProgramName(row.name),
    /** Who connected it. */
    person: personFromRow(row),
    createdAt: new Date(row.created_at),
    /** As keys have it: a few seconds late. */
    lastUsedAt: dateOrNull(row.last_used_at),
  };
}

/**
 * Programs that a person lets ask for an organization over MCP (specification "Connected programs"). A connection is for one program, one
 * person and one organization, and ends with the person's membership.
 */
export type Connection = Readonly<ReturnType<typeof connectionFrom>>;

/** Ends the connections of a person to an organization, or that of one program, with their tokens. */
export async function deleteConnections(
  transaction: Transaction,
  { organizationId, personId, clientId }: MemberKey & { readonly clientId?: string },
): Promise<void> {
  // Access tokens first: they name the refresh token that they came with.
  for (const table of ['oauth_access_tokens', 'oauth_refresh_tokens', 'connections'] as const) {
    const ofPerson = transaction
      .deleteFrom(table)
      .where('organization_id', '=', organizationId)
      .where('person_id', '=', personId);
    await (clientId === undefined ? ofPerson : ofPerson.where('client_id', '=', clientId)).execute();
  }
}
