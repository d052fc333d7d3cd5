import type { Kysely, Transaction } from 'kysely';
import { AppError } from '../../../runtime/errors.ts';
import type { ControlTables } from '../../database/tables/tables.ts';
import { type AuditDeps, AuditedChanges } from '../audit.ts';
import { shownProgramName } from '../organizations/organization-name.ts';
import type { Actor, Origin, Person, Session, TooMany } from './people.ts';
import { PERSON_COLUMNS, personFromRow } from './person.ts';
import { assertMember, lockAsMember, nameOf } from './rights.ts';

/**
 * Programs that a person lets ask for an organization over MCP (specification "Connected programs"). A connection is for one program, one
 * person and one organization, and ends with the person's membership.
 */
export interface Connection {
  /** `connection_` and a ULID: no secret. */
  readonly id: string;
  readonly organizationId: string;
  /** As the program calls itself: nobody has proven it. */
  readonly clientName: string;
  /** Who connected it. */
  readonly person: Person;
  readonly createdAt: Date;
  /** As keys have it: a few seconds late. */
  readonly lastUsedAt: Date | null;
}

export interface Connections {
  /** The same, done by `actor` from `origin`; undefined: from this machine. */
  as(actor: Actor, origin?: Origin): Connections;
  /** Those of an organization, newest first. Rejects with `not_found` where the actor does not belong to it. */
  list(organizationId: string): Promise<readonly Connection[]>;
  /**
   * Ends a connection with all its tokens, for every member; in force everywhere within 5 seconds. Rejects with `not_found` where it is
   * none of the organization's.
   */
  revoke(of: { readonly organizationId: string; readonly connectionId: string }): Promise<Connection>;
}

/** What a program asks a person for. */
export interface ConnectionRequest {
  /** As it calls itself. */
  readonly clientName: string;
  /** Where the browser goes afterwards: a host, `this computer`, or the scheme of an app. */
  readonly returnsTo: string;
}

/**
 * The OAuth 2.1 provider, as the console and whoever serves its routes use it. A query is what a page was opened with by the provider
 * and is signed by it: it holds for ten minutes.
 */
export interface Authorization {
  /** Undefined where the request was changed or is over, or its program is not known any more. */
  describe(query: string): Promise<ConnectionRequest | undefined>;
  /**
   * Connects the program to an organization of the session's person; resolves to the program's own address, where the browser goes.
   * Rejects with `not_found` where the person does not belong to it, and with `usage` where the request is over or was changed.
   */
  accept(
    query: string,
    as: { readonly session: Session; readonly cookies: string | undefined; readonly origin: Origin },
    organizationId: string,
  ): Promise<string>;
  /** Tells the program that it may not; resolves to its own address. Rejects with `usage` as `accept` does. */
  deny(query: string, as: { readonly cookies: string | undefined }): Promise<string>;
  /**
   * Registers a program (RFC 7591), and counts it; resolves to what it is answered. Of apps that are known by a scheme of their own the
   * addresses are taken as well.
   */
  register(registration: Readonly<Record<string, unknown>>, origin: Origin): Promise<Response | TooMany>;
  /** Whether a program is registered under this id. */
  knows(clientId: string): Promise<boolean>;
  /**
   * Answers what the protocol asks: authorization, tokens, revocation, as {@link OAUTH_PATHS} has them. A browser is sent to pages of the
   * console alone: what is refused there is told on one of them, and not by a redirect to an address that anybody can register (RFC 9700,
   * 4.11).
   */
  handle(request: Request): Promise<Response>;
}

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

/** The connections of organizations, seen and ended (specification "Connected programs"). */
export class ConnectionList implements Connections {
  readonly #audit: AuditDeps;
  readonly #actor: Actor;
  readonly #changes: AuditedChanges;

  constructor(audit: AuditDeps, actor: Actor, origin?: Origin) {
    this.#audit = audit;
    this.#actor = actor;
    this.#changes = new AuditedChanges(audit, nameOf(actor), origin?.address ?? null);
  }

  as(actor: Actor, origin?: Origin): Connections {
    return new ConnectionList(this.#audit, actor, origin);
  }

  list(organizationId: string): Promise<readonly Connection[]> {
    return this.#changes.read(async (database) => {
      await assertMember(database, organizationId, this.#actor);
      const rows = await selectConnections(database)
        .where('connections.organization_id', '=', organizationId)
        .orderBy('connections.created_at', 'desc')
        .orderBy('connections.id', 'desc')
        .execute();
      return rows.map(connectionFrom);
    });
  }

  revoke({
    organizationId,
    connectionId,
  }: {
    readonly organizationId: string;
    readonly connectionId: string;
  }): Promise<Connection> {
    return this.#changes.change(async (transaction, note) => {
      await lockAsMember(transaction, organizationId, this.#actor);
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
}

function selectConnections(database: Kysely<ControlTables>) {
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

function connectionFrom(row: SelectedConnection): Connection {
  return {
    id: row.id,
    organizationId: row.organization_id,
    clientName: shownProgramName(row.name),
    person: personFromRow(row),
    createdAt: new Date(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
  };
}

/** Ends the connections of a person to an organization, or that of one program, with their tokens. */
export async function deleteConnections(
  transaction: Transaction<ControlTables>,
  {
    organizationId,
    personId,
    clientId,
  }: { readonly organizationId: string; readonly personId: string; readonly clientId?: string },
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
