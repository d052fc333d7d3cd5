import { z } from 'zod';
import { orUnavailable } from '../../../database/database-errors.ts';
import type { Database } from '../../../database/tables/tables.ts';
import type { Origin } from '../../actor.ts';
import { limitedOrigin } from '../../address-limit.ts';
import { pairOf } from '../attempt-limits.ts';
import type { PeopleParts } from '../open-members.ts';
import {
  consoleLocation,
  type DescribedLink,
  type FoundSession,
  linkTo,
  nextPath,
  type PeopleSettings,
  type Session,
  type TooMany,
} from '../people.ts';
import { signInMail } from '../people-mails.ts';
import { emailFrom } from '../person.ts';
import { type Auth, type AuthHooks, headersOf, orRefused, sessionCookies } from './auth.ts';
import type { Sessions } from './sessions.ts';
import { linkHash } from './stored-password.ts';

export interface LinksDeps extends Pick<PeopleParts, 'limits' | 'outbox'> {
  readonly database: Database;
  readonly clock: () => Date;
  /** A function because better-auth is created with a hook of these links. */
  readonly auth: () => Auth;
  readonly sessions: () => Sessions;
}

/**
 * Sign-in links: better-auth's token (stored as a hash), the path to continue at, and the requesting browser. The last
 * two are unsigned: the path is checked on use, and browser identifiers are secret.
 * Timing must not reveal known addresses: every request within the limits runs the same statements and creates a token;
 * only sending, after the response, differs.
 */
export class Links {
  readonly #settings: PeopleSettings;
  readonly #deps: LinksDeps;

  constructor(settings: PeopleSettings, deps: LinksDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  /**
   * Emails a link, valid once for 15 minutes. Resolves before sending, in the same way if none is sent. Rejects with
   * `usage` for an invalid address. Under many requests an address gets one every ten minutes; earlier ones stay valid.
   * @param to `next`: console path to continue at; anything else becomes the start page
   */
  async send(
    to: { readonly email: string; readonly next?: string | undefined },
    origin: Origin,
  ): Promise<TooMany | undefined> {
    const email = emailFrom(to.email);
    const { limits, outbox } = this.#deps;
    const tooMany =
      (await limits.hit('mailsPerOrigin', limitedOrigin(origin.address))) ??
      (await limits.hit('linksPerPair', pairOf(email, origin.address)));
    if (tooMany !== undefined) return tooMany;
    outbox.assertRoom();
    // Nobody is refused because of strangers: the link sent for them is valid for longer than the pace.
    const isInTime = (await limits.hit('linksPerAddress', email)) === undefined;
    const isDue = await orUnavailable(() => this.#isDue(email));
    await this.#make({ email, next: to.next, isDue: isInTime && isDue }, origin);
    return undefined;
  }

  /** Confirms a password sign-in under many guesses. Created for everyone, sent only if the password was right. */
  async confirm(
    { email, next, isRight }: { readonly email: string; readonly next: string | undefined; readonly isRight: boolean },
    origin: Origin,
  ): Promise<void> {
    const { limits, outbox } = this.#deps;
    outbox.assertRoom();
    // Wrong guesses cost the same without using up the person's limit.
    const isInTime = (await limits.hit('confirmationsPerAddress', isRight ? email : `wrong ${email}`)) === undefined;
    await this.#make({ email, next, isDue: isRight && isInTime }, origin);
  }

  async #make(
    { email, next, isDue }: { readonly email: string; readonly next: string | undefined; readonly isDue: boolean },
    origin: Origin,
  ): Promise<void> {
    const metadata = { next: nextPath(next, consoleLocation(this.#settings)), isDue, browser: origin.browser ?? '' };
    await orUnavailable(() =>
      this.#deps.auth().api.signInMagicLink({ body: { email, metadata }, headers: headersOf(origin) }),
    );
  }

  /** Emails a new link if due. */
  readonly onLink: AuthHooks['onLink'] = ({ email, token, metadata }) => {
    if (metadata['isDue'] !== true) return;
    const { publicUrl } = this.#settings;
    const next = Buffer.from(String(metadata['next'])).toString('base64url');
    const parts = [token, next, metadata['browser']].filter((part) => part !== '').join('.');
    const link = linkTo('signInLink', parts, publicUrl);
    this.#deps.outbox.send(signInMail({ to: email, link, publicUrl }));
  };

  /** Doesn't use it up; undefined if used, expired or unknown. */
  async describe(text: string, origin: Origin): Promise<DescribedLink | undefined> {
    const { token, browser } = partsOf(text);
    if (token === undefined) return undefined;
    const found = await orUnavailable(async () =>
      (await this.#deps.auth().$context).internalAdapter.findVerificationValue(linkHash(token)),
    );
    if (found === null || found.expiresAt <= this.#deps.clock()) return undefined;
    const { email } = LinkValue.parse(JSON.parse(found.value));
    return { email, isOwn: browser !== undefined && browser === origin.browser };
  }

  /** Undefined if used, expired or unknown. Mail programs open links, so only the POST of a form calls this. */
  async redeem(
    text: string,
    origin: Origin,
    replaced?: Session,
  ): Promise<(FoundSession & { readonly next: string }) | undefined> {
    const { token, next = '' } = partsOf(text);
    if (token === undefined) return undefined;
    const response = await orUnavailable(() =>
      orRefused(() =>
        this.#deps.auth().api.magicLinkVerify({ query: { token }, headers: headersOf(origin), returnHeaders: true }),
      ),
    );
    if (response === undefined) return undefined;
    const signedIn = { token: response.response.token, cookies: sessionCookies(response.headers) };
    return {
      ...(await this.#deps.sessions().begin(signedIn, { method: 'link', origin, replaced })),
      next: nextPath(Buffer.from(next, 'base64url').toString(), consoleLocation(this.#settings)),
    };
  }

  async maySignUp(email: string): Promise<boolean> {
    return this.#settings.signUp === 'open' || (await this.#known(email)).isInvited;
  }

  /**
   * With open sign-up everyone, otherwise existing and invited people. If only passwords sign in, links set the first
   * one.
   */
  async #isDue(email: string): Promise<boolean> {
    const { exists, isInvited, hasPassword } = await this.#known(email);
    const { signUp, methods } = this.#settings;
    return (signUp === 'open' || exists || isInvited) && (methods.includes('link') || !hasPassword);
  }

  /** One statement, whatever the address. */
  async #known(email: string) {
    const now = this.#deps.clock().getTime();
    const row = await this.#deps.database
      .selectNoFrom(({ selectFrom }) => [
        selectFrom('people').select('people.id').where('people.email', '=', email).as('person'),
        selectFrom('people')
          .innerJoin('sign_in_accounts', 'sign_in_accounts.person_id', 'people.id')
          .select('sign_in_accounts.id')
          .where('people.email', '=', email)
          .where('sign_in_accounts.password', 'is not', null)
          .limit(1)
          .as('password'),
        selectFrom('invitations')
          .select('invitations.id')
          .where('invitations.email', '=', email)
          .where('invitations.expires_at', '>', now)
          .limit(1)
          .as('invitation'),
      ])
      .executeTakeFirstOrThrow();
    return { exists: row.person !== null, hasPassword: row.password !== null, isInvited: row.invitation !== null };
  }
}

/** better-auth's record of a link. */
const LinkValue = z.object({ email: z.string() });

/** Empty if the text isn't a link. */
function partsOf(text: string): Readonly<Partial<Record<'token' | 'next' | 'browser', string>>> {
  const form = /^(?<token>[A-Za-z]{1,100})\.(?<next>[\w-]{0,5400})(?:\.(?<browser>[\w-]{43}))?$/;
  return form.exec(text)?.groups ?? {};
}
