import { AppError } from '../../../../runtime/errors.ts';
import { orUnavailable } from '../../../database/database-errors.ts';
import { type Database, parseEnum } from '../../../database/tables/tables.ts';
import type { Origin } from '../../actor.ts';
import type { OpenedMembers } from '../open-members.ts';
import { type FoundSession, type ListedSession, ROLES, type Session, type SignInMethod } from '../people.ts';
import { deleteSessions, lockPerson, PERSON_COLUMNS, personFromRow, storedInstant } from '../person.ts';
import { type Auth, sessionCookies } from './auth.ts';

export interface SessionsDeps extends Pick<OpenedMembers, 'as' | 'cleanUp'> {
  readonly auth: Auth;
  readonly database: Database;
  readonly clock: () => Date;
}

/** A new session of better-auth. */
export interface SignedIn {
  readonly token: string;
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[];
}

export interface Beginning {
  readonly method: SignInMethod;
  readonly origin: Origin;
  /** The browser's previous session, which ends. */
  readonly replaced: Session | undefined;
}

/**
 * Sessions exist only in the database and are read on every request; deleting the row ends one. Roles come from
 * memberships.
 */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #database: Database;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#database = deps.database;
  }

  /** Ends again if the audit log can't be written. */
  async begin({ token, cookies }: SignedIn, { method, origin, replaced }: Beginning): Promise<FoundSession> {
    const session = await orUnavailable(() => this.#getByToken(token));
    try {
      await this.#deps.as({ person: session.person, origin }).change(async (_, note) => {
        const details = { method, session_id: session.id };
        await note({ organizationId: null, action: 'person.sign_in', subjectId: session.person.id, details });
      });
    } catch (error) {
      await this.#end(session.id);
      throw error;
    }
    if (replaced !== undefined) await this.#end(replaced.id);
    return { session, cookies };
  }

  /** Undefined if missing or ended. */
  async find(cookieHeader: string | undefined): Promise<FoundSession | undefined> {
    if (cookieHeader === undefined) return undefined;
    this.#deps.cleanUp(this.#deps.clock());
    return orUnavailable(async () => {
      const headers = new Headers({ cookie: cookieHeader });
      const found = await this.#deps.auth.api.getSession({ headers, returnHeaders: true });
      if (found.response === null) return undefined;
      const session = await this.#read('id', found.response.session.id);
      return session === undefined ? undefined : { session, cookies: sessionCookies(found.headers) };
    });
  }

  async #getByToken(token: string): Promise<Session> {
    const session = await this.#read('token', token);
    if (session === undefined)
      throw new AppError('unavailable', 'the session ended before sign-in was complete; sign in again');
    return session;
  }

  /** The organization of the person's longest membership. */
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

  /** Rejects with `not_found` unless the person is a member. */
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

  /** Resolves to Set-Cookie values that clear the cookie in any case. */
  async signOut(cookieHeader: string | undefined): Promise<readonly string[]> {
    // better-auth would report success even if the database failed.
    const found = await this.find(cookieHeader);
    if (found !== undefined) await this.#end(found.session.id);
    const { headers } = await orUnavailable(() =>
      this.#deps.auth.api.signOut({ headers: new Headers(), returnHeaders: true }),
    );
    return sessionCookies(headers);
  }

  signOutEverywhere({ person }: Session, origin: Origin): Promise<void> {
    return this.#deps.as({ person, origin }).change(async (transaction, note) => {
      await lockPerson(transaction, person.id);
      await deleteSessions(transaction, person.id);
      await note({ organizationId: null, action: 'person.sign_out_everywhere', subjectId: person.id, details: {} });
    });
  }

  /** Current sessions, newest first. */
  list(personId: string): Promise<readonly ListedSession[]> {
    return orUnavailable(async () => {
      const rows = await this.#database
        .selectFrom('sessions')
        .select(['id', 'created_at', 'expires_at', 'address', 'user_agent'])
        .where('person_id', '=', personId)
        .where('expires_at', '>', storedInstant(this.#deps.clock()))
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

  async #end(sessionId: string): Promise<void> {
    await orUnavailable(() => this.#database.deleteFrom('sessions').where('id', '=', sessionId).execute());
  }

  /** One row: session, person, and role in the selected organization. */
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
    const role = row.role === null ? null : parseEnum(ROLES, row.role);
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
