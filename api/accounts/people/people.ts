import type { Organization } from '../organizations/organizations.ts';

/**
 * People: who signs in to the console, and what of which organization is theirs (specification "People"). This file says what the
 * console and the command line may ask for; `openPeople` makes what does it.
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

export interface Person {
  /** `person_` and a ULID. */
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly createdAt: Date;
}

/** From where somebody acts. */
export interface Origin {
  /** Of the client, as the server believes it (behind trusted proxies: the one that they name). */
  readonly address: string;
  /** The header as it came; only its beginning is kept. */
  readonly userAgent: string | undefined;
  /** Tells one browser from others: 43 characters of base64url that nobody else can know. Undefined where it has not been here before. */
  readonly browser?: string | undefined;
}

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

/** A session that was found: pass on the cookies, there are some where it was prolonged. */
export interface FoundSession {
  readonly session: Session;
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[];
}

export interface NewSession {
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

export interface SignIn {
  /** What the sign-in page offers, in its order. */
  readonly methods: readonly SignInMethod[];
  /** `open`: whoever asks gets a link; `invited`: only who exists or was invited, though the answer is the same. */
  readonly signUp: 'open' | 'invited';

  /**
   * Sends a link that signs its reader in, good for 15 minutes and one use. Resolves before the mail is out, in the same way whether
   * there is one or not. Rejects with `usage` where the address can be none. Where many ask for one address it is sent one every ten
   * minutes; those that came before are as good.
   *
   * @param next a path below the console to go to afterwards; anything else counts as the console's first page
   */
  sendLink(
    to: { readonly email: string; readonly next?: string | undefined },
    origin: Origin,
  ): Promise<TooMany | undefined>;
  /** What a link is about, which stays as it is; undefined where it was used, is over or never was. */
  describeLink(token: string, origin: Origin): Promise<DescribedLink | undefined>;
  /**
   * Signs in whoever has the link's token; undefined where it was used, is over or never was. Mail programs open links to look at
   * them, so a GET of the link shows a form with the token, and only its POST comes here.
   *
   * @param replaced the session that the browser had: it ends
   */
  redeemLink(
    token: string,
    origin: Origin,
    replaced?: Session,
  ): Promise<(NewSession & { readonly next: string }) | undefined>;
  /** Undefined for a wrong address, a wrong password, and a person without one, without a difference. */
  signInWithPassword(
    credentials: { readonly email: string; readonly password: string; readonly next?: string | undefined },
    origin: Origin,
    replaced?: Session,
  ): Promise<NewSession | TooMany | ConfirmByMail | undefined>;
  passwordState(session: Session): Promise<PasswordState>;
  /**
   * Sets or changes the password of the session's person, 12 to 128 characters, ends all their other sessions, and sends them a mail with
   * a link that undoes it. Rejects with `usage`, whose message says what is wrong: its length, or that neither the session is fresh nor
   * `current` the password that there is.
   */
  setPassword(
    session: Session,
    passwords: { readonly password: string; readonly current?: string | undefined },
    origin: Origin,
  ): Promise<TooMany | undefined>;

  /** Whose change the link of its mail undoes; undefined where it was used, is over or never was. */
  describeUndo(token: string): Promise<Pick<Person, 'email'> | undefined>;
  /** Takes the person's password away, however often it was changed since, and ends all their sessions. Once; undefined as above. */
  undoPassword(token: string, origin: Origin): Promise<Pick<Person, 'email'> | undefined>;

  /** The session that the request's Cookie header names; undefined where it names none, or one that is over. */
  findSession(cookieHeader: string | undefined): Promise<FoundSession | undefined>;
  /** Changes what the session's pages show. Rejects with `not_found` unless the person belongs to it. */
  selectOrganization(session: Session, organizationId: string): Promise<Session>;
  /** Ends the session at once. Resolves to the values of Set-Cookie that clear the cookie, whatever there was. */
  signOut(cookieHeader: string | undefined): Promise<readonly string[]>;
  /** Ends all sessions of the session's person, this one included. */
  signOutEverywhere(session: Session, origin: Origin): Promise<void>;
  /** Those that are not over, newest first. */
  listSessions(personId: string): Promise<readonly ListedSession[]>;
}

export interface ListedSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/**
 * Who acts: a person, whose rights in the organization are checked, or an operator (`cli:` and a name, or `system`), who may do
 * everything.
 */
export type Actor = { readonly person: Person } | { readonly operator: string };

export interface Membership {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: Role;
  readonly since: Date;
}

export interface Member {
  readonly person: Person;
  readonly role: Role;
  readonly since: Date;
}

export interface Invitation {
  /** `invitation_` and a ULID: no secret. */
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly email: string;
  readonly role: Role;
  /** Who invited, as the audit log names them. */
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface SentInvitation extends Invitation {
  /** False where the address was sent so many that this one is to be found in the console alone. */
  readonly isMailed: boolean;
}

/**
 * Who belongs to which organization. Of an organization that the acting person doesn't belong to everything rejects with `not_found`,
 * as if it weren't there; what only owners may do rejects for members with `usage`, and so does what can't be.
 */
export interface Members {
  /** The same, done by `actor` from `origin`; undefined: from this machine. */
  as(actor: Actor, origin?: Origin): Members;

  /** A person's organizations, the longest membership first. */
  listMemberships(personId: string): Promise<readonly Membership[]>;
  /** The members of an organization, the oldest first. */
  listMembers(organizationId: string): Promise<readonly Member[]>;
  /** For operators: makes the person where there is none of this address; of a member changes nothing but the role. */
  addMember(of: { readonly organizationId: string; readonly email: string; readonly role: Role }): Promise<Member>;
  /** For owners. The last owner stays one: `usage`. */
  changeRole(of: { readonly organizationId: string; readonly personId: string; readonly role: Role }): Promise<Member>;
  /** For owners; a member may remove itself. The last owner can't go: `usage`. */
  removeMember(of: { readonly organizationId: string; readonly personId: string }): Promise<Member>;

  /**
   * For owners. Sends a link that is good for 7 days; one that was open for this address ends. An address that was sent too many is sent no
   * mail, and finds the invitation in the console.
   */
  invite(of: { readonly organizationId: string; readonly email: string; readonly role: Role }): Promise<SentInvitation>;
  /** Those that are open, newest first. */
  listInvitations(organizationId: string): Promise<readonly Invitation[]>;
  /** For owners. */
  revokeInvitation(of: { readonly organizationId: string; readonly invitationId: string }): Promise<Invitation>;
  /** Those that are open for the acting person's address, newest first, 50 at most. */
  listOwnInvitations(): Promise<readonly Invitation[]>;
  /** What the link of an invitation is about; undefined where it is over, was used, replaced or revoked. */
  findInvitation(token: string): Promise<Invitation | undefined>;
  /**
   * Makes the acting person a member. Rejects with `not_found` where the invitation is over, was used, replaced or revoked, and with
   * `usage` where it is for another address.
   *
   * @param token of its link, or its id
   */
  acceptInvitation(token: string): Promise<Membership>;

  /**
   * For operators: takes the password of a person away, who has forgotten it, ends their sessions, and tells them by mail; a link lets them
   * set another.
   * Rejects with `not_found`, and with `usage` where there is none.
   */
  removePassword(email: string): Promise<Person>;

  /**
   * Makes an organization on Community with the acting person as its owner. Rejects with `usage` where the person has made as many as
   * one may, or sign-up is by invitation.
   */
  createOwnOrganization(name: string): Promise<Organization>;
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
