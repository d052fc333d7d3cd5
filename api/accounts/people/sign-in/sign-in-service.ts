import { AppError } from '../../../../runtime/errors.ts';
import { orUnavailable } from '../../../database/database-errors.ts';
import { type AuditDeps, AuditedChanges } from '../../audit.ts';
import type {
  ConfirmByMail,
  DescribedLink,
  FoundSession,
  ListedSession,
  NewSession,
  Origin,
  PasswordState,
  Person,
  Session,
  SignIn,
  SignInMethod,
  TooMany,
} from '../people.ts';
import type { PeopleSettings } from '../people-settings.ts';
import { actorOf } from '../person.ts';
import { type Auth, sessionCookies } from './auth.ts';
import type { Links } from './links.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';

export interface SignInDeps {
  readonly auth: Auth;
  readonly sessions: Sessions;
  readonly links: Links;
  readonly passwords: Passwords;
  readonly audit: AuditDeps;
}

/** Signing in and out (specification "Sign-in"); what a method does is told in people.ts. */
export class SignInService implements SignIn {
  readonly methods: readonly SignInMethod[];
  readonly signUp: SignIn['signUp'];
  readonly #deps: SignInDeps;

  constructor({ methods, signUp }: Pick<PeopleSettings, 'methods' | 'signUp'>, deps: SignInDeps) {
    this.methods = methods;
    this.signUp = signUp;
    this.#deps = deps;
  }

  sendLink(to: { readonly email: string; readonly next?: string | undefined }, origin: Origin) {
    return this.#deps.links.send(to, origin);
  }

  describeLink(token: string, origin: Origin): Promise<DescribedLink | undefined> {
    return this.#deps.links.describe(token, origin);
  }

  async redeemLink(
    token: string,
    origin: Origin,
    replaced?: Session,
  ): Promise<(NewSession & { readonly next: string }) | undefined> {
    const redeemed = await this.#deps.links.redeem(token, origin);
    if (redeemed === undefined) return undefined;
    return { ...(await this.#begin(redeemed, { method: 'link', origin, replaced })), next: redeemed.next };
  }

  async signInWithPassword(
    credentials: { readonly email: string; readonly password: string; readonly next?: string | undefined },
    origin: Origin,
    replaced?: Session,
  ): Promise<NewSession | TooMany | ConfirmByMail | undefined> {
    if (!this.methods.includes('password')) return undefined;
    const { links, passwords } = this.#deps;
    const answer = await passwords.check(credentials, origin);
    if (answer === undefined || 'tooMany' in answer) return answer;
    if (!('isRight' in answer)) return this.#begin(answer, { method: 'password', origin, replaced });
    await links.confirm({ ...answer, next: credentials.next }, origin);
    return { confirmByMail: true };
  }

  passwordState(session: Session): Promise<PasswordState> {
    return this.#deps.passwords.state(session);
  }

  async setPassword(
    session: Session,
    passwords: { readonly password: string; readonly current?: string | undefined },
    origin: Origin,
  ): Promise<TooMany | undefined> {
    if (!this.methods.includes('password')) throw new AppError('usage', 'nobody signs in with a password here');
    return this.#deps.passwords.set(session, passwords, this.#changes(session, origin));
  }

  describeUndo(token: string): Promise<Pick<Person, 'email'> | undefined> {
    return this.#deps.passwords.findUndo(token);
  }

  async undoPassword(token: string, origin: Origin): Promise<Pick<Person, 'email'> | undefined> {
    const person = await this.#deps.passwords.findUndo(token);
    if (person === undefined) return undefined;
    const isDone = await this.#deps.passwords.undo(token, person, this.#changes({ person }, origin));
    return isDone ? person : undefined;
  }

  findSession(cookieHeader: string | undefined): Promise<FoundSession | undefined> {
    return this.#deps.sessions.find(cookieHeader);
  }

  selectOrganization(session: Session, organizationId: string): Promise<Session> {
    return this.#deps.sessions.selectOrganization(session, organizationId);
  }

  async signOut(cookieHeader: string | undefined): Promise<readonly string[]> {
    // Not left to better-auth, which says that somebody is signed out also where the database didn't answer.
    const found = await this.#deps.sessions.find(cookieHeader);
    if (found !== undefined) await this.#deps.sessions.end(found.session.id);
    const { headers } = await orUnavailable(() =>
      this.#deps.auth.api.signOut({ headers: new Headers(), returnHeaders: true }),
    );
    return sessionCookies(headers);
  }

  signOutEverywhere(session: Session, origin: Origin): Promise<void> {
    return this.#deps.sessions.endAll(session, this.#changes(session, origin));
  }

  listSessions(personId: string): Promise<readonly ListedSession[]> {
    return this.#deps.sessions.list(personId);
  }

  #changes({ person }: Pick<Session, 'person'>, { address }: Origin): AuditedChanges {
    return new AuditedChanges(this.#deps.audit, actorOf(person), address);
  }

  /** Nobody is signed in of whom the audit log doesn't tell: where it can't be written, the session ends again. */
  async #begin(
    { token, cookies }: { readonly token: string; readonly cookies: readonly string[] },
    {
      method,
      origin,
      replaced,
    }: { readonly method: SignInMethod; readonly origin: Origin; readonly replaced: Session | undefined },
  ): Promise<NewSession> {
    const session = await orUnavailable(() => this.#deps.sessions.getByToken(token));
    try {
      await this.#changes(session, origin).change(async (_, note) => {
        const details = { method, session_id: session.id };
        await note({ organizationId: null, action: 'person.sign_in', subjectId: session.person.id, details });
      });
    } catch (error) {
      await this.#deps.sessions.end(session.id);
      throw error;
    }
    if (replaced !== undefined) await this.#deps.sessions.end(replaced.id);
    return { session, cookies };
  }
}
