import type { Kysely } from 'kysely';
import pLimit from 'p-limit';
import { orUnavailable } from '../../../database/errors/database-errors.ts';
import type { ControlTables } from '../../../database/tables/tables.ts';
import { AppError } from '../../../schemas/errors.ts';
import type { AuditedChanges } from '../../audit/audited-changes.ts';
import { normalisedEmail } from '../email-address.ts';
import type { AttemptLimits } from '../limits/attempt-limits.ts';
import { limitedOrigin } from '../limits/limited-origin.ts';
import { type NamedLimits, namedLimits } from '../limits/people-limits.ts';
import type { Origin, Session, TooMany } from '../people.ts';
import { PASSWORD_LENGTH, type PeopleSettings } from '../people-settings.ts';
import { lockPerson, storedInstant } from '../person.ts';
import { insertPassword, readPassword, readPasswordOf } from '../stored-password.ts';
import type { Auth } from './auth.ts';
import type { SignedIn } from './links.ts';
import { headersOf, orRefused, sessionCookies } from './sign-in-answers.ts';

export interface PasswordsDeps {
  readonly auth: Auth;
  readonly database: Kysely<ControlTables>;
  readonly limits: AttemptLimits;
}

/** Passwords hashed at once: each takes a thread of four and 32 MB, which files and compression need as well. */
const AT_ONCE_MAX = 2;
/** Passwords that may wait for that, each some 0.1 s: whoever comes later is told at once to come again. */
const WAITING_MAX = 20;

/**
 * Passwords, hashed by better-auth (scrypt). Attempts are counted before the password is looked at, so that many at once are no way
 * around the limit, and a right one frees the address, not the place that it came from.
 */
export class Passwords {
  readonly #limits: NamedLimits;
  readonly #deps: PasswordsDeps;
  readonly #hashing = pLimit(AT_ONCE_MAX);

  constructor({ limits }: Pick<PeopleSettings, 'limits'>, deps: PasswordsDeps) {
    this.#limits = namedLimits(limits);
    this.#deps = deps;
  }

  /** Signs in who has this password; undefined where it is wrong, whatever is. */
  async check(
    { email: text, password }: { readonly email: string; readonly password: string },
    origin: Origin,
  ): Promise<SignedIn | TooMany | undefined> {
    const { auth, database, limits } = this.#deps;
    const email = normalisedEmail(text);
    const tooManyThere = await limits.hit(this.#limits.passwordsPerOrigin, limitedOrigin(origin.address));
    if (tooManyThere !== undefined || email === undefined) return tooManyThere;
    const tooMany = await limits.hit(this.#limits.passwordsPerAddress, email);
    if (tooMany !== undefined || password.length > PASSWORD_LENGTH.max) return tooMany;
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
    await limits.forget(this.#limits.passwordsPerAddress, email);
    return { token: answer.response.token, cookies: sessionCookies(answer.headers) };
  }

  async has(personId: string): Promise<boolean> {
    return (await orUnavailable(() => readPassword(this.#deps.database, personId))) !== undefined;
  }

  /** See `SignIn.setPassword`. */
  async set(
    { id: sessionId, person }: Session,
    { password, current }: { readonly password: string; readonly current?: string | undefined },
    changes: AuditedChanges,
  ): Promise<TooMany | undefined> {
    assertLength(password);
    const { auth, database, limits } = this.#deps;
    const { password: scrypt } = await auth.$context;
    const known = await orUnavailable(() => readPassword(database, person.id));
    if (known !== undefined) {
      const tooMany = await limits.hit(this.#limits.passwordsPerAddress, person.email);
      if (tooMany !== undefined) return tooMany;
      const isRight =
        current !== undefined &&
        current.length <= PASSWORD_LENGTH.max &&
        (await this.#hash(() => scrypt.verify({ hash: known.password, password: current })));
      if (!isRight) throw new AppError('usage', 'the current password is wrong or missing');
      await limits.forget(this.#limits.passwordsPerAddress, person.email);
    }
    const hash = await this.#hash(() => scrypt.hash(password));
    await changes.change(async (transaction, note) => {
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
    });
    return undefined;
  }

  /** Does work with a hash when its turn comes. Rejects with `unavailable` where too many wait. */
  async #hash<T>(work: () => Promise<T>): Promise<T> {
    if (this.#hashing.pendingCount >= WAITING_MAX)
      throw new AppError('unavailable', 'too many passwords are being checked; try again in a few seconds');
    return orUnavailable(() => this.#hashing(work));
  }
}

function assertLength(password: string): void {
  const { min, max } = PASSWORD_LENGTH;
  if (password.length >= min && password.length <= max) return;
  throw new AppError('usage', `the password must have ${min} to ${max} characters; it has ${password.length}`);
}
