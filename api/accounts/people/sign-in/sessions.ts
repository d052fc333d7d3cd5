import type { Kysely } from 'kysely';
import { AppError } from '../../../../runtime/errors.ts';
import { orUnavailable } from '../../../database/database-errors.ts';
import type { ControlTables } from '../../../database/tables/tables.ts';
import type { AuditedChanges } from '../../audit.ts';
import type { FoundSession, ListedSession, Session } from '../people.ts';
import { lockPerson, PERSON_COLUMNS, personFromRow, roleFromWord, storedInstant } from '../person.ts';
import { type Auth, sessionCookies } from './auth.ts';

export interface SessionsDeps {
  readonly auth: Auth;
  readonly database: Kysely<ControlTables>;
  readonly clock: () => Date;
  /** Told of the time with every request of somebody who may be signed in. */
  readonly onFind: (now: Date) => void;
}

/**
 * Sessions lie in the database alone and are read with every request. A session is over as soon as its row is gone, so whatever
 * ends one deletes rows; rights in the organization that it shows are joined from the memberships and never kept in it.
 */
export class Sessions {
  readonly #auth: Auth;
  readonly #database: Kysely<ControlTables>;
  readonly #clock: () => Date;
  readonly #onFind: (now: Date) => void;

  constructor({ auth, database, clock, onFind }: SessionsDeps) {
    this.#onFind = onFind;
    this.#auth = auth;
    this.#database = database;
    this.#clock = clock;
  }

  async find(cookieHeader: string | undefined): Promise<FoundSession | undefined> {
    if (cookieHeader === undefined) return undefined;
    this.#onFind(this.#clock());
    return orUnavailable(async () => {
      const headers = new Headers({ cookie: cookieHeader });
      const found = await this.#auth.api.getSession({ headers, returnHeaders: true });
      if (found.response === null) return undefined;
      const session = await this.#read('id', found.response.session.id);
      return session === undefined ? undefined : { session, cookies: sessionCookies(found.headers) };
    });
  }

  /** The session that was just begun under this token. */
  async getByToken(token: string): Promise<Session> {
    const session = await this.#read('token', token);
    if (session === undefined) throw new AppError('unavailable', 'the session ended while it began');
    return session;
  }

  /** What a new session shows first: the organization that the person has belonged to for longest. */
  async firstOrganization(personId: string): Promise<string | null> {
    const row = await this.#database
      .selectFrom('members')
      .select('organization_id')
      .where('person_id', '=', personId)
      .orderBy('created_at')
      .orderBy('organization_id')
      .executeTakeFirst();
    return row?.organization_id ?? null;
  }

  async selectOrganization({ id }: Session, organizationId: string): Promise<Session> {
    return orUnavailable(async () => {
      const { numUpdatedRows } = await this.#database
        .updateTable('sessions')
        .set({ organization_id: organizationId })
        .where('id', '=', id)
        .where('person_id', 'in', (members) =>
          members.selectFrom('members').select('person_id').where('organization_id', '=', organizationId),
        )
        .executeTakeFirstOrThrow();
      const session = numUpdatedRows === 0n ? undefined : await this.#read('id', id);
      if (session === undefined) throw new AppError('not_found', `there is no organization ${organizationId}`);
      return session;
    });
  }

  async end(sessionId: string): Promise<void> {
    await orUnavailable(() => this.#database.deleteFrom('sessions').where('id', '=', sessionId).execute());
  }

  /** Ends all sessions of the session's person. */
  endAll({ person }: Session, changes: AuditedChanges): Promise<void> {
    return changes.change(async (transaction, note) => {
      await lockPerson(transaction, person.id);
      await transaction.deleteFrom('sessions').where('person_id', '=', person.id).execute();
      await note({ organizationId: null, action: 'person.sign_out_everywhere', subjectId: person.id, details: {} });
    });
  }

  /** Those that are not over, newest first. */
  list(personId: string): Promise<readonly ListedSession[]> {
    return orUnavailable(async () => {
      const rows = await this.#database
        .selectFrom('sessions')
        .select(['id', 'created_at', 'expires_at', 'address', 'user_agent'])
        .where('person_id', '=', personId)
        .where('expires_at', '>', storedInstant(this.#clock()))
        .orderBy('id', 'desc')
        .execute();
      return rows.map(({ id, created_at, expires_at, address, user_agent }) => ({
        id,
        createdAt: new Date(created_at),
        expiresAt: new Date(expires_at),
        address: address || null,
        userAgent: user_agent || null,
      }));
    });
  }

  /** One row: a session with its person, and the person's role in the organization that it shows. */
  async #read(by: 'id' | 'token', value: string): Promise<Session | undefined> {
    const row = await this.#database
      .selectFrom('sessions')
      .innerJoin('people', 'people.id', 'sessions.person_id')
      .leftJoin('members', (join) =>
        join
          .onRef('members.organization_id', '=', 'sessions.organization_id')
          .onRef('members.person_id', '=', 'sessions.person_id'),
      )
      .select(['sessions.id', 'sessions.created_at', 'sessions.expires_at', 'sessions.organization_id', 'members.role'])
      .select(PERSON_COLUMNS)
      .where(`sessions.${by}`, '=', value)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const role = row.role === null ? null : roleFromWord(row.role);
    return {
      id: row.id,
      person: personFromRow(row),
      organizationId: role === null ? null : row.organization_id,
      role,
      createdAt: new Date(row.created_at),
      expiresAt: new Date(row.expires_at),
    };
  }
}
