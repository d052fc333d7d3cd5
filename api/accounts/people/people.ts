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
