import pLimit from 'p-limit';
import { AppError } from '../../../../runtime/errors.ts';
import { newId } from '../../../../runtime/ulid.ts';
import { orUnavailable } from '../../../database/database-errors.ts';
import type { Database } from '../../../database/tables/tables.ts';
import type { Origin, Person } from '../../actor.ts';
import { limitedOrigin } from '../../address-limit.ts';
import { pairOf } from '../attempt-limits.ts';
import type { OpenedMembers } from '../open-members.ts';
import {
  type ConfirmByMail,
  type FoundSession,
  FRESH_SESSION_MS,
  PASSWORD_LENGTH,
  type PasswordState,
  type PeopleSettings,
  type Session,
  type TooMany,
} from '../people.ts';
import { passwordMail } from '../people-mails.ts';
import { deleteSessions, lockPerson, normalisedEmail, storedInstant } from '../person.ts';
import { type Auth, headersOf, orRefused, sessionCookies } from './auth.ts';
import type { Links } from './links.ts';
import type { Sessions, SignedIn } from './sessions.ts';
import {
  consumeUndo,
  deletePassword,
  findUndo,
  insertPassword,
  insertUndo,
  readPassword,
  readPasswordOf,
} from './stored-password.ts';

export interface PasswordsDeps extends Pick<OpenedMembers, 'limits' | 'outbox' | 'as'> {
  readonly auth: Auth;
  readonly database: Database;
  readonly clock: () => Date;
  readonly links: Pick<Links, 'confirm'>;
  readonly sessions: Pick<Sessions, 'begin'>;
}

/** A guess to be confirmed by a link. */
interface Unconfirmed {
  readonly email: string;
  readonly isRight: boolean;
}

type PasswordSettings = Pick<PeopleSettings, 'publicUrl' | 'methods'>;

/** Each takes one of four threads and 32 MB. */
const AT_ONCE_MAX = 2;
/** Queued passwords, some 0.1 s each; more are refused. */
const WAITING_MAX = 20;

/**
 * Hashed by better-auth (scrypt). Attempts are counted before checking, so that parallel ones stay within the limit; a
 * right password resets the address, not the origin. With many origins guessing, it must be confirmed by a link, so
 * guesses reveal nothing.
 */
export class Passwords {
  readonly #settings: PasswordSettings;
  readonly #deps: PasswordsDeps;
  readonly #hashing = pLimit(AT_ONCE_MAX);

  constructor(settings: PasswordSettings, deps: PasswordsDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  /** Undefined for a wrong address or password alike. */
  async signIn(
    credentials: { readonly email: string; readonly password: string; readonly next?: string | undefined },
    origin: Origin,
    replaced?: Session,
  ): Promise<FoundSession | TooMany | ConfirmByMail | undefined> {
    if (!this.#settings.methods.includes('password')) return undefined;
    const checked = await this.#check(credentials, origin);
    if (checked === undefined || 'tooMany' in checked) return checked;
    if (!('isRight' in checked)) return this.#deps.sessions.begin(checked, { method: 'password', origin, replaced });
    await this.#deps.links.confirm({ ...checked, next: credentials.next }, origin);
    return { confirmByMail: true };
  }

  async #check(
    { email: text, password }: { readonly email: string; readonly password: string },
    origin: Origin,
  ): Promise<SignedIn | TooMany | Unconfirmed | undefined> {
    const { auth, database, limits } = this.#deps;
    const email = normalisedEmail(text);
    const tooManyThere = await limits.hit('passwordsPerOrigin', limitedOrigin(origin.address));
    if (tooManyThere !== undefined || email === undefined) return tooManyThere;
    const tooMany = await limits.hit('passwordsPerPair', pairOf(email, origin.address));
    if (tooMany !== undefined || password.length > PASSWORD_LENGTH.max) return tooMany;
    if ((await limits.hit('passwordsPerAddress', email)) !== undefined)
      return { email, isRight: await this.#isRightFor(email, password) };
    const before = await orUnavailable(() => readPasswordOf(database, email));
    const response = await this.#hash(() =>
      orRefused(() =>
        auth.api.signInEmail({ body: { email, password }, headers: headersOf(origin), returnHeaders: true }),
      ),
    );
    if (response === undefined) return undefined;
    // If the password changed meanwhile, which ended other sessions, this one ends too.
    if ((await orUnavailable(() => readPasswordOf(database, email))) !== before) {
      await orUnavailable(() => database.deleteFrom('sessions').where('token', '=', response.response.token).execute());
      return undefined;
    }
    await limits.forget('passwordsPerPair', pairOf(email, origin.address));
    await limits.forget('passwordsPerAddress', email);
    return { token: response.response.token, cookies: sessionCookies(response.headers) };
  }

  async state({ person, createdAt }: Session): Promise<PasswordState> {
    const password = await orUnavailable(() => readPassword(this.#deps.database, person.id));
    return { hasPassword: password !== undefined, isFresh: isFresh(createdAt, this.#deps.clock()) };
  }

  /**
   * 12 to 128 characters. Ends the person's other sessions and emails an undo link. Rejects with `usage` for a wrong
   * length, or if the session isn't fresh and `current` is wrong or missing.
   */
  async set(
    session: Session,
    { password, current }: { readonly password: string; readonly current?: string | undefined },
    origin: Origin,
  ): Promise<TooMany | undefined> {
    if (!this.#settings.methods.includes('password'))
      throw new AppError('usage', 'sign-in with a password is disabled');
    assertLength(password);
    const { id: sessionId, person } = session;
    const { auth, database, limits, outbox } = this.#deps;
    const changes = this.#deps.as({ person, origin });
    const { publicUrl } = this.#settings;
    outbox.assertRoom();
    // By person: only their own sessions can use it up.
    const tooMany = await limits.hit('passwordChanges', person.id);
    if (tooMany !== undefined) return tooMany;
    const known = await orUnavailable(() => readPassword(database, person.id));
    await this.#assertProven(session, { known: known?.password, current, now: changes.now() });
    const { password: scrypt } = await auth.$context;
    const hash = await this.#hash(() => scrypt.hash(password));
    const undoLink = await changes.change(async (transaction, note) => {
      await lockPerson(transaction, person.id);
      if ((await readPassword(transaction, person.id))?.password !== known?.password)
        throw new AppError('usage', 'the password was just changed in another session; try again');
      const row = { password: hash, updated_at: storedInstant(changes.now()) };
      if (known !== undefined)
        await transaction.updateTable('sign_in_accounts').set(row).where('id', '=', known.id).execute();
      else await insertPassword(transaction, { ...row, id: newId('account'), person_id: person.id });
      await deleteSessions(transaction, person.id, sessionId);
      await note({ organizationId: null, action: 'person.set_password', subjectId: person.id, details: {} });
      return insertUndo(transaction, person, { changes, publicUrl });
    });
    const [to, link] = [person.email, undoLink];
    outbox.send(passwordMail({ to, link, publicUrl, isFirst: known === undefined, origin: origin.address }));
    return undefined;
  }

  /** The person of an undo link; undefined if used, expired or unknown. */
  describeUndo(token: string): Promise<Person | undefined> {
    return orUnavailable(() => findUndo(this.#deps.database, token, this.#deps.clock()));
  }

  /** Works once, even if the password changed again since; ends all sessions. */
  async undo(token: string, origin: Origin): Promise<Person | undefined> {
    const person = await this.describeUndo(token);
    if (person === undefined) return undefined;
    return this.#deps.as({ person, origin }).change(async (transaction, note) => {
      if (!(await consumeUndo(transaction, token))) return undefined;
      await lockPerson(transaction, person.id);
      await deletePassword(transaction, person.id);
      await deleteSessions(transaction, person.id);
      const details = { email: person.email, by: 'link' };
      await note({ organizationId: null, action: 'person.remove_password', subjectId: person.id, details });
      return person;
    });
  }

  /** A fresh session is sufficient; the cookie of an older one may be stolen. */
  async #assertProven(
    { createdAt }: Session,
    {
      known,
      current,
      now,
    }: { readonly known: string | undefined; readonly current: string | undefined; readonly now: Date },
  ): Promise<void> {
    if (current === undefined && isFresh(createdAt, now)) return;
    if (known === undefined)
      throw new AppError('usage', 'to set a password, sign in with a new link first: this session is too old');
    if (current !== undefined && (await this.#isRight(known, current))) return;
    throw new AppError('usage', 'the current password is wrong or missing');
  }

  /** Takes as long for an address without a password. */
  async #isRightFor(email: string, password: string): Promise<boolean> {
    const hash = await orUnavailable(() => readPasswordOf(this.#deps.database, email));
    if (hash !== undefined) return this.#isRight(hash, password);
    const { password: scrypt } = await this.#deps.auth.$context;
    await this.#hash(() => scrypt.hash(password));
    return false;
  }

  async #isRight(hash: string, password: string): Promise<boolean> {
    const { password: scrypt } = await this.#deps.auth.$context;
    return password.length <= PASSWORD_LENGTH.max && (await this.#hash(() => scrypt.verify({ hash, password })));
  }

  /** Rejects with `unavailable` if the queue is full. */
  async #hash<T>(work: () => Promise<T>): Promise<T> {
    if (this.#hashing.pendingCount >= WAITING_MAX)
      throw new AppError('unavailable', 'too many passwords are being checked; try again in a few seconds');
    return orUnavailable(() => this.#hashing(work));
  }
}

function isFresh(createdAt: Date, now: Date): boolean {
  return now.getTime() - createdAt.getTime() < FRESH_SESSION_MS;
}

function assertLength(password: string): void {
  const { min, max } = PASSWORD_LENGTH;
  if (password.length >= min && password.length <= max) return;
  throw new AppError('usage', `the password must have ${min} to ${max} characters; it has ${password.length}`);
}
