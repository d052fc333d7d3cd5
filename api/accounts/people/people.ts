import type { Person } from '../actor.ts';

/**
 * People: sign-in to the console, and organizations (specification "People").
 * - An email address is a person; case and surrounding white space don't matter.
 * - Nothing reveals whether an address is known: responses and their timing are the same.
 * - Sessions and memberships are read on every request, so endings apply from the next request on.
 * - Each change is in the audit log, with actor and origin.
 * Everything rejects with `unavailable` while the control database is down.
 */

export const ROLES = ['owner', 'member'] as const;
/** An `owner` may change everything of an organization; a `member` may not change who belongs to it. */
export type Role = (typeof ROLES)[number];

export interface Session {
  /** `session_` and a ULID; not secret. */
  readonly id: string;
  readonly person: Person;
  /**
   * The selected organization; null if none, or if the person is no longer a member. Initially the one of the longest
   * membership.
   */
  readonly organizationId: string | null;
  /** The person's role in that organization. */
  readonly role: Role | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Pass on the cookies: a session found has some if it was renewed. */
export interface FoundSession {
  readonly session: Session;
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[];
}

export const SIGN_IN_METHODS = ['link', 'password'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** Too many requests from this origin, or for this email address: respond with 429. */
export interface TooMany {
  readonly tooMany: true;
  readonly retryAfterSeconds: number;
}

/** Too many guesses at this address: if the password was right a link was sent, and the response doesn't say so. */
export interface ConfirmByMail {
  readonly confirmByMail: true;
}

/** A link that is not used yet. */
export interface DescribedLink {
  /** The person it signs in. */
  readonly email: string;
  /** Whether this browser requested it. */
  readonly isOwn: boolean;
}

export interface PasswordState {
  readonly hasPassword: boolean;
  /** True for some minutes after sign-in: changing the password needs no further proof. */
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

/** A member, or a possible one. */
export interface MemberKey {
  readonly organizationId: string;
  readonly personId: string;
}

export interface Member {
  readonly person: Person;
  readonly role: Role;
  readonly since: Date;
}

/** Console pages that emails link to; `?token=` follows. */
export const CONSOLE_PATHS = {
  /** The base of all console pages. */
  home: '/console',
  signInLink: '/console/sign-in/link',
  undoPassword: '/console/sign-in/undo',
  invitation: '/console/invitations/accept',
  stopDigest: '/console/digest/stop',
  /** The consent page for a program. */
  connect: '/console/connect',
  /** The consent page after sign-in. */
  connectSignedIn: '/console/connect/signed-in',
  /** Explains why a program could not be connected. */
  connectFailed: '/console/connect/failed',
} as const;

export interface PeopleSettings {
  /** Public address: scheme, host and base path. With https, cookies are `Secure`. */
  readonly publicUrl: string;
  /** At least 32 secret characters, the same for all processes; changing it ends all sessions. */
  readonly secret: string;
  /** In the order of the sign-in page. */
  readonly methods: readonly SignInMethod[];
  /** `open`: every address gets a link; `invited`: only existing and invited people do, with the same response. */
  readonly signUp: 'open' | 'invited';
  /** Lifetime of an unused session. */
  readonly sessionMs: number;
  /** A session in use is renewed when its last renewal is older than this. Smaller: more writes. */
  readonly sessionRefreshMs: number;
  readonly limits: PeopleLimits;
  /** For connected programs; undefined: none can be connected. */
  readonly connections: ConnectionSettings | undefined;
}

export interface ConnectionSettings {
  /** The MCP address that all tokens are issued for: https, or on this machine. */
  readonly resource: string;
  /** Lifetime of an access token. Larger: a leaked one works longer. */
  readonly accessTokenSeconds: number;
  /** How long a program may stay inactive before it must be connected again. */
  readonly refreshTokenSeconds: number;
}

export const PEOPLE_LIMITS = {
  /**
   * Emails with links to one address at once, then one per {@link LINK_PACE_MS}; also emails with invitations per day.
   * Larger: strangers can fill a mailbox.
   */
  mailsPerAddress: 5,
  /** The same requested by one client address (IPv6: /64) per hour. Smaller: offices behind one address reach it. */
  mailsPerOrigin: 30,
  /**
   * Password attempts on one person from one client address (IPv6: /64) in 15 minutes; ten times as many per day from
   * all.
   */
  passwordsPerAddress: 10,
  /** Password attempts from one client address (IPv6: /64) in 15 minutes. */
  passwordsPerOrigin: 30,
  /** Open invitations of an organization, and those sent per day. */
  invitations: 20,
  /** Programs registered by one client address (IPv6: /64) per hour. */
  registrationsPerOrigin: 30,
  /** Organizations created per person. Larger: Community quotas can be multiplied. */
  ownOrganizations: 3,
};
export type PeopleLimits = Readonly<typeof PEOPLE_LIMITS>;

/** Lifetime of a sign-in link. */
export const LINK_MS = 15 * 60_000;
/**
 * Interval of links to an address with many requests. Must be below {@link LINK_MS}: a user who gets no link, since
 * strangers just requested one, then has a valid one in the mailbox.
 */
export const LINK_PACE_MS = 10 * 60_000;
/** Time after sign-in in which a session can change the password. Larger: a stolen session can for longer. */
export const FRESH_SESSION_MS = 15 * 60_000;
/** Lifetime of the link that undoes a password change. */
export const UNDO_MS = 7 * 24 * 3_600_000;
/** Lifetime of an invitation. */
export const INVITATION_MS = 7 * 24 * 3_600_000;
export const PASSWORD_LENGTH = { min: 12, max: 128 } as const;

export function consoleLocation({ publicUrl }: Pick<PeopleSettings, 'publicUrl'>): ConsoleLocation {
  return { publicUrl, home: CONSOLE_PATHS.home };
}

interface ConsoleLocation {
  /** Scheme, host and base path, without a trailing slash. */
  readonly publicUrl: string;
  /** For example `/console`. */
  readonly home: string;
}

/** Longest path to continue at, in characters; requests of programs have some thousand. */
export const NEXT_LENGTH_MAX = 4_000;

/** Includes the base path. */
function homePath({ publicUrl, home }: ConsoleLocation): string {
  return new URL(`${publicUrl}${home}`).pathname;
}

/**
 * Where to continue after sign-in: a console path with its query. Anything else (another host or scheme, a path outside
 * of the console) becomes the console's start page, to prevent open redirects.
 */
export function nextPath(requested: string | undefined, place: ConsoleLocation): string {
  const first = homePath(place);
  if (requested === undefined || requested.length > NEXT_LENGTH_MAX || !requested.startsWith('/')) return first;
  const { origin } = new URL(place.publicUrl);
  if (!URL.canParse(requested, origin)) return first;
  const url = new URL(requested, origin); // Resolves dots, backslashes and `//host` as browsers do.
  const isBelow = url.pathname === first || url.pathname.startsWith(`${first}/`);
  return url.origin === origin && isBelow && !url.pathname.includes('//') ? `${url.pathname}${url.search}` : first;
}

export function linkTo(page: keyof typeof CONSOLE_PATHS, token: string, publicUrl: string): string {
  const link = new URL(`${publicUrl}${CONSOLE_PATHS[page]}`);
  link.searchParams.set('token', token);
  return link.href;
}
