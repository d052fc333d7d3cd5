import type { Kysely } from 'kysely';
import pLimit from 'p-limit';
import { AppError } from '../../../../runtime/errors.ts';
import { orUnavailable } from '../../../database/database-errors.ts';
import type { ControlTables } from '../../../database/tables/tables.ts';
import { limitedOrigin } from '../../address-limit.ts';
import type { AuditedChanges } from '../../audit.ts';
import type { Outbox } from '../../mail/outbox.ts';
import { type AttemptLimits, type NamedLimits, namedLimits, pairOf } from '../attempt-limits.ts';
import type { Origin, PasswordState, Person, Session, TooMany } from '../people.ts';
import { passwordMail } from '../people-mails.ts';
import { FRESH_SESSION_MS, PASSWORD_LENGTH, type PeopleSettings } from '../people-settings.ts';
import { lockPerson, normalisedEmail, storedInstant } from '../person.ts';
import { type Auth, headersOf, orRefused, sessionCookies } from './auth.ts';
import type { SignedIn } from './links.ts';
import { deletePassword, insertPassword, readPassword, readPasswordOf } from './stored-password.ts';
import { findUndo, insertUndo, takeUndo } from './undo-links.ts';

export interface PasswordsDeps {
  readonly auth: Auth;
  readonly database: Kysely<ControlTables>;
  readonly limits: AttemptLimits;
  readonly outbox: Outbox;
  readonly random: (bytes: number) => Uint8Array;
  readonly clock: () => Date;
}

/** A guess that signs nobody in by itself, since too many guess at this address. */
export interface Unconfirmed {
  readonly email: string;
  readonly isRight: boolean;
}

/** Passwords hashed at once: each takes a thread of four and 32 MB, which files and compression need as well. */
const AT_ONCE_MAX = 2;
/** Passwords that may wait for that, each some 0.1 s: whoever comes later is told at once to come again. */
const WAITING_MAX = 20;

/**
 * Passwords, hashed by better-auth (scrypt). Attempts are counted before the password is looked at, so that many at once don't get
 * around the limit, and a right one frees the address, not the place that it came from. Where too many places guess at one address, a
 * guess tells nothing any more: the right one has to be confirmed by a link.
 */
export class Passwords {
  readonly #publicUrl: string;
  readonly #limits: NamedLimits;
  readonly #deps: PasswordsDeps;
  readonly #hashing = pLimit(AT_ONCE_MAX);

  constructor({ limits, publicUrl }: Pick<PeopleSettings, 'limits' | 'publicUrl'>, deps: PasswordsDeps) {
    this.#publicUrl = publicUrl;
    this.#limits = namedLimits(limits);
    this.#deps = deps;
  }

  /** Signs in who has this password; undefined where it is wrong, whatever is. */
  async check(
    { email: text, password }: { readonly email: string; readonly password: string },
    origin: Origin,
  ): Promise<SignedIn | TooMany | Unconfirmed | undefined> {
    const { auth, database, limits } = this.#deps;
    const email = normalisedEmail(text);
    const tooManyThere = await limits.hit(this.#limits.passwordsPerOrigin, limitedOrigin(origin.address));
    if (tooManyThere !== undefined || email === undefined) return tooManyThere;
    const tooMany = await limits.hit(this.#limits.passwordsPerPair, pairOf(email, origin.address));
    if (tooMany !== undefined || password.length > PASSWORD_LENGTH.max) return tooMany;
    if ((await limits.hit(this.#limits.passwordsPerAddress, email)) !== undefined)
      return { email, isRight: await this.#isRightFor(email, password) };
    const before = await orUnavailable(() => readPasswordOf(database, email));
    const answer = await this.#hash(() =>
      orRefused(() =>
        auth.api.signInEmail({ body: { email, password }, headers: headersOf(origin), returnHeaders: true }),
      ),
    );
    if (answer === undefined) return undefined;
    // Another password may have been set since this one was looked at, which ends the sessions that there were then.
    if ((await orUnavailable(() => readPasswordOf(database, email))) !== before) {
      await orUnavailable(() => database.deleteFrom('sessions').where('token', '=', answer.response.token).execute());
      return undefined;
    }
    await limits.forget(this.#limits.passwordsPerPair, pairOf(email, origin.address));
    await limits.forget(this.#limits.passwordsPerAddress, email);
    return { token: answer.response.token, cookies: sessionCookies(answer.headers) };
  }

  /** See `SignIn.passwordState`. */
  async state({ person, createdAt }: Session): Promise<PasswordState> {
    const password = await orUnavailable(() => readPassword(this.#deps.database, person.id));
    return { hasPassword: password !== undefined, isFresh: isFresh(createdAt, this.#deps.clock()) };
  }

  /** See `SignIn.setPassword`. */
  async set(
    session: Session,
    { password, current }: { readonly password: string; readonly current?: string | undefined },
    changes: AuditedChanges,
  ): Promise<TooMany | undefined> {
    assertLength(password);
    const { id: sessionId, person } = session;
    const { auth, database, limits, outbox, random } = this.#deps;
    outbox.assertRoom();
    // Counts who has a session of this person, so that nobody else can use it up.
    const tooMany = await limits.hit(this.#limits.passwordChanges, person.id);
    if (tooMany !== undefined) return tooMany;
    const known = await orUnavailable(() => readPassword(database, person.id));
    await this.#assertProven(session, { known: known?.password, current, now: changes.now() });
    const { password: scrypt } = await auth.$context;
    const hash = await this.#hash(() => scrypt.hash(password));
    const undoLink = await changes.change(async (transaction, note) => {
      await lockPerson(transaction, person.id);
      if ((await readPassword(transaction, person.id))?.password !== known?.password)
        throw new AppError('usage', 'the password was changed a moment ago, from elsewhere');
      const row = { password: hash, updated_at: storedInstant(changes.now()) };
      if (known !== undefined)
        await transaction.updateTable('sign_in_accounts').set(row).where('id', '=', known.id).execute();
      else await insertPassword(transaction, { ...row, id: changes.newId('account'), person_id: person.id });
      const others = transaction.deleteFrom('sessions').where('person_id', '=', person.id);
      await others.where('id', '!=', sessionId).execute();
      await note({ organizationId: null, action: 'person.set_password', subjectId: person.id, details: {} });
      return insertUndo(transaction, person, { changes, random, publicUrl: this.#publicUrl });
    });
    const [to, link, publicUrl] = [person.email, undoLink, this.#publicUrl];
    outbox.send(passwordMail({ to, link, publicUrl, isFirst: known === undefined, origin: changes.origin }));
    return undefined;
  }

  /** See `SignIn.describeUndo`. */
  findUndo(token: string): Promise<Person | undefined> {
    return orUnavailable(() => findUndo(this.#deps.database, token, this.#deps.clock()));
  }

  /** See `SignIn.undoPassword`; false where the token was used a moment ago. */
  undo(token: string, person: Person, changes: AuditedChanges): Promise<boolean> {
    return changes.change(async (transaction, note) => {
      if (!(await takeUndo(transaction, token))) return false;
      await lockPerson(transaction, person.id);
      await deletePassword(transaction, person.id);
      await transaction.deleteFrom('sessions').where('person_id', '=', person.id).execute();
      const details = { email: person.email, by: 'link' };
      await note({ organizationId: null, action: 'person.remove_password', subjectId: person.id, details });
      return true;
    });
  }

  /** A session that began a moment ago is proof enough; of an older one somebody else may have the cookie. */
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
      throw new AppError('usage', 'to set a password, sign in with a new link first: this session began too long ago');
    if (current !== undefined && (await this.#isRight(known, current))) return;
    throw new AppError('usage', 'the current password is wrong or missing');
  }

  /** As much work for an address without a password. */
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

  /** Does work with a hash when its turn comes. Rejects with `unavailable` where too many wait. */
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
