import type { Kysely } from 'kysely';
import { AppError } from '../../../../runtime/errors.ts';
import type { ControlTables } from '../../../database/tables/tables.ts';
import { type AuditDeps, AuditedChanges } from '../../audit/audited-changes.ts';
import type { Connection, Connections } from '../connections.ts';
import { deleteConnections } from '../delete-connections.ts';
import { assertMember, lockAsMember, nameOf } from '../members/acting.ts';
import type { Actor, Origin } from '../people.ts';
import { PERSON_COLUMNS, personFromRow } from '../person.ts';
import { shownName } from './shown-name.ts';

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
    clientName: shownName(row.name),
    person: personFromRow(row),
    createdAt: new Date(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
  };
}
