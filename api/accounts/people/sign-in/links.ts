import { z } from 'zod';
import { orUnavailable } from '../../../database/database-errors.ts';
import type { Database } from '../../../database/tables/tables.ts';
import type { Origin } from '../../actor.ts';
import { limitedOrigin } from '../../address-limit.ts';
import { pairOf } from '../attempt-limits.ts';
import type { PeopleParts } from '../open-members.ts';
import {
  type DescribedLink,
  type FoundSession,
  linkTo,
  nextPath,
  type PeopleSettings,
  placeOf,
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
  /** Asked late: better-auth is made with a hook of these links. */
  readonly auth: () => Auth;
  readonly sessions: () => Sessions;
}

/**
 * Links that sign in. What is in the mail is better-auth's token, of which the database holds a hash, where its reader wants to go, and
 * which browser asked. None of the latter is signed: where to go is checked again when the link comes back, and a browser that nobody else
 * knows can't be named by others, so nobody gains by changing them.
 *
 * Whether an address is known must not show. So whoever asks within the limits costs the same statements, a token is made for every
 * address, and only whether a mail leaves behind the answer differs.
 */
export class Links {
  readonly #settings: PeopleSettings;
  readonly #deps: LinksDeps;

  constructor(settings: PeopleSettings, deps: LinksDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  /**
   * Sends a link that signs its reader in, good for 15 minutes and one use. Resolves before the mail is out, in the same way whether
   * there is one or not. Rejects with `usage` where the address can be none. Where many ask for one address it is sent one every ten
   * minutes; those that came before are as good.
   *
   * @param to `next`: a path below the console to go to afterwards; anything else counts as the console's first page
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
    // Whoever comes too soon after others is refused nothing: the link that was sent for them is good for longer than the pace.
    const isInTime = (await limits.hit('linksPerAddress', email)) === undefined;
    const isDue = await orUnavailable(() => this.#isDue(email));
    await this.#make({ email, next: to.next, isDue: isInTime && isDue }, origin);
    return undefined;
  }

  /** A link that completes a sign-in by password where too many guess; it is made for everybody, and sent to who gave the right one. */
  async confirm(
    { email, next, isRight }: { readonly email: string; readonly next: string | undefined; readonly isRight: boolean },
    origin: Origin,
  ): Promise<void> {
    const { limits, outbox } = this.#deps;
    outbox.assertRoom();
    // Wrong guesses cost the same and take nothing from the person.
    const isInTime = (await limits.hit('confirmationsPerAddress', isRight ? email : `wrong ${email}`)) === undefined;
    await this.#make({ email, next, isDue: isRight && isInTime }, origin);
  }

  async #make(
    { email, next, isDue }: { readonly email: string; readonly next: string | undefined; readonly isDue: boolean },
    origin: Origin,
  ): Promise<void> {
    const metadata = { next: nextPath(next, placeOf(this.#settings)), isDue, browser: origin.browser ?? '' };
    await orUnavailable(() =>
      this.#deps.auth().api.signInMagicLink({ body: { email, metadata }, headers: headersOf(origin) }),
    );
  }

  /** Mails a link that was made, or forgets it. */
  readonly onLink: AuthHooks['onLink'] = ({ email, token, metadata }) => {
    if (metadata['isDue'] !== true) return;
    const { publicUrl } = this.#settings;
    const next = Buffer.from(String(metadata['next'])).toString('base64url');
    const parts = [token, next, metadata['browser']].filter((part) => part !== '').join('.');
    const link = linkTo('signInLink', parts, publicUrl);
    this.#deps.outbox.send(signInMail({ to: email, link, publicUrl }));
  };

  /** What a link is about, which stays as it is; undefined where it was used, is over or never was. */
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

  /**
   * Signs in whoever has the link's token; undefined where it was used, is over or never was. Mail programs open links to look at
   * them, so a GET of the link shows a form with the token, and only its POST comes here.
   */
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
      next: nextPath(Buffer.from(next, 'base64url').toString(), placeOf(this.#settings)),
    };
  }

  /** Whether a person may be made for this address. */
  async maySignUp(email: string): Promise<boolean> {
    return this.#settings.signUp === 'open' || (await this.#known(email)).isInvited;
  }

  /**
   * Whether a link leaves for this address: to everybody where sign-up is open, else to who exists or is invited. Where passwords are
   * the only way in, a link is for setting the first one.
   */
  async #isDue(email: string): Promise<boolean> {
    const { exists, isInvited, hasPassword } = await this.#known(email);
    const { signUp, methods } = this.#settings;
    return (signUp === 'open' || exists || isInvited) && (methods.includes('link') || !hasPassword);
  }

  /** What there is of an address, in one statement for all addresses. */
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

/** What better-auth keeps of a link. */
const LinkValue = z.object({ email: z.string() });

/** What a link carries; without a token where it is none. */
function partsOf(text: string): Readonly<Partial<Record<'token' | 'next' | 'browser', string>>> {
  const form = /^(?<token>[A-Za-z]{1,100})\.(?<next>[\w-]{0,5400})(?:\.(?<browser>[\w-]{43}))?$/;
  return form.exec(text)?.groups ?? {};
}
