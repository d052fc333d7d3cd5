import type { Person } from '../actor.ts';

/**
 * People: who signs in to the console, and what of which organization is theirs (specification "People").
 *
 * - An address of mail is a person. It is compared without regard to case and surrounding white space.
 * - Nothing here says whether an address is known: answers, and the time that they take, are the same for known and unknown ones.
 * - A session is asked for with every request, and so are its memberships: what ended, has ended with the next request.
 * - Each change leaves a line in the audit log, with who did it and from where.
 *
 * Everything rejects with `unavailable` while the control database does not answer.
 */

export const ROLES = ['owner', 'member'] as const;
/** An `owner` may change everything of an organization, a `member` sees everything but may not change who belongs to it. */
export type Role = (typeof ROLES)[number];

export interface Session {
  /** `session_` and a ULID: no secret. */
  readonly id: string;
  readonly person: Person;
  /**
   * The organization that its pages show; null where none was chosen, or the person does not belong to it any more. At sign-in it is
   * the one that the person has belonged to for longest.
   */
  readonly organizationId: string | null;
  /** The person's role in that organization. */
  readonly role: Role | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A session that began or was found: pass on the cookies; of one that was found there are some where it was prolonged. */
export interface FoundSession {
  readonly session: Session;
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[];
}

export const SIGN_IN_METHODS = ['link', 'password'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** Too much was asked for from here, or for this address of mail: answer 429. */
export interface TooMany {
  readonly tooMany: true;
  readonly retryAfterSeconds: number;
}

/** Too many guess at this address: whoever gave the right password was sent a link, and nobody is told whether it was right. */
export interface ConfirmByMail {
  readonly confirmByMail: true;
}

/** What a link is about, before it is used. */
export interface DescribedLink {
  /** Whom it signs in. */
  readonly email: string;
  /** Whether the same browser asked for it. */
  readonly isOwn: boolean;
}

/** Whether somebody can change how they sign in without another proof. */
export interface PasswordState {
  readonly hasPassword: boolean;
  /** True for some minutes after signing in: neither a link nor the current password is needed. */
  readonly isFresh: boolean;
}

export interface ListedSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly address: string | null;
  readonly userAgent: string | null;
}

export interface Membership {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: Role;
  readonly since: Date;
}

/** Names a member, or who might be one. */
export interface MemberKey {
  readonly organizationId: string;
  readonly personId: string;
}

export interface Member {
  readonly person: Person;
  readonly role: Role;
  readonly since: Date;
}

/** Where the console has the pages that mails link to; `?token=` follows. */
export const CONSOLE_PATHS = {
  /** All pages of the console lie below. */
  home: '/console',
  signInLink: '/console/sign-in/link',
  undoPassword: '/console/sign-in/undo',
  invitation: '/console/invitations/accept',
  /** Asks whether a program may be connected. */
  connect: '/console/connect',
  /** The same after signing in. */
  connectSignedIn: '/console/connect/signed-in',
  /** Says why a program could not be connected. */
  connectFailed: '/console/connect/failed',
} as const;

/** What can be configured of people. */
export interface PeopleSettings {
  /** The service's address as people see it: scheme, host and base path. Cookies are `Secure` where it is https. */
  readonly publicUrl: string;
  /** At least 32 characters that nobody else knows, the same for all processes; a new one ends all sessions. */
  readonly secret: string;
  /** What the sign-in page offers, in its order. */
  readonly methods: readonly SignInMethod[];
  /** `open`: whoever asks gets a link; `invited`: only who exists or was invited, though the answer is the same. */
  readonly signUp: 'open' | 'invited';
  /** How long a session lasts without being used. */
  readonly sessionMs: number;
  /** A session that was last prolonged longer ago than this is prolonged when it is used. Smaller: more writes. */
  readonly sessionRefreshMs: number;
  readonly limits: PeopleLimits;
  /** Programs that ask for an organization; undefined: none may be connected. */
  readonly connections: ConnectionSettings | undefined;
}

/** What can be configured of connections. */
export interface ConnectionSettings {
  /** The address of MCP, for which all tokens are: https, or on this machine. */
  readonly resource: string;
  /** How long an access token is good for. Larger: a leaked one works longer. */
  readonly accessTokenSeconds: number;
  /** How long a program may be silent before a person has to connect it again. */
  readonly refreshTokenSeconds: number;
}

/** Bounds of what people may ask for. */
export const PEOPLE_LIMITS = {
  /**
   * Mails with links that one address gets at once, whoever asks; then one each {@link LINK_PACE_MS}. And mails with invitations in a day.
   * Larger: a mailbox can be filled by strangers.
   */
  mailsPerAddress: 5,
  /** The same that one client address (IPv6: /64) may ask for in an hour. Smaller: offices behind one address run into it. */
  mailsPerOrigin: 30,
  /** Attempts at one person's password from one client address (IPv6: /64) in 15 minutes; ten times as many a day from all. */
  passwordsPerAddress: 10,
  /** Attempts at passwords from one client address (IPv6: /64) in 15 minutes. */
  passwordsPerOrigin: 30,
  /** Invitations of an organization that may be open at once, and that it may send in a day. */
  invitations: 20,
  /** Programs that one client address (IPv6: /64) may register in an hour. */
  registrationsPerOrigin: 30,
  /** Organizations that one person may make by signing up. Larger: quotas of Community can be multiplied. */
  ownOrganizations: 3,
};
export type PeopleLimits = Readonly<typeof PEOPLE_LIMITS>;

/** How long a link to sign in is good for. */
export const LINK_MS = 15 * 60_000;
/**
 * How often an address gets a mail with a link where many are asked for. Must be below {@link LINK_MS}: so whoever is sent none, since
 * strangers asked a moment ago, has one in the mailbox that is still good.
 */
export const LINK_PACE_MS = 10 * 60_000;
/** How long after signing in a session is proof enough to change how one signs in. Larger: a stolen one is, too, for longer. */
export const FRESH_SESSION_MS = 15 * 60_000;
/** How long the link is good for that undoes a change of a password. */
export const UNDO_MS = 7 * 24 * 3_600_000;
/** How long an invitation is good for. */
export const INVITATION_MS = 7 * 24 * 3_600_000;
export const PASSWORD_LENGTH = { min: 12, max: 128 } as const;

export function placeOf({ publicUrl }: Pick<PeopleSettings, 'publicUrl'>): ConsolePlace {
  return { publicUrl, home: CONSOLE_PATHS.home };
}

/** The service's own address as people see it, such as `https://stats.example.com/api`, and the path of the console below it. */
interface ConsolePlace {
  /** Scheme, host and base path, without a slash at the end. */
  readonly publicUrl: string;
  /** Such as `/console`. */
  readonly home: string;
}

/** Longest path to go to, in characters: the requests of programs that want to be connected are some thousand. */
export const NEXT_LENGTH_MAX = 4_000;

/** The path of the console's first page, with the base path. */
function homePath({ publicUrl, home }: ConsolePlace): string {
  return new URL(`${publicUrl}${home}`).pathname;
}

/**
 * Where somebody goes who has signed in: a path of the console with its query, as a browser would understand it. Whatever else was
 * asked for (another host, another scheme, a path outside of the console) becomes the console's first page: nobody is sent away
 * from here by a link that looks like ours.
 */
export function nextPath(wanted: string | undefined, place: ConsolePlace): string {
  const first = homePath(place);
  if (wanted === undefined || wanted.length > NEXT_LENGTH_MAX || !wanted.startsWith('/')) return first;
  const { origin } = new URL(place.publicUrl);
  if (!URL.canParse(wanted, origin)) return first;
  const url = new URL(wanted, origin); // Resolves dots, backslashes and `//host` as a browser does.
  const isBelow = url.pathname === first || url.pathname.startsWith(`${first}/`);
  return url.origin === origin && isBelow && !url.pathname.includes('//') ? `${url.pathname}${url.search}` : first;
}

/** The address of a page of the console that a mail links to. */
export function linkTo(page: keyof typeof CONSOLE_PATHS, token: string, publicUrl: string): string {
  const link = new URL(`${publicUrl}${CONSOLE_PATHS[page]}`);
  link.searchParams.set('token', token);
  return link.href;
}
