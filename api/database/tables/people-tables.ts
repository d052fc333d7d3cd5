import type { StoredInstant } from './oauth-tables.ts';

/** Who signs in, who belongs where, and what is counted of their attempts; better-auth writes the first four. */
export interface PeopleTables {
  readonly people: PersonRow;
  readonly sessions: SessionRow;
  readonly sign_in_accounts: SignInAccountRow;
  readonly verifications: VerificationRow;
  readonly members: MemberRow;
  readonly invitations: InvitationRow;
  readonly sign_in_limits: SignInLimitRow;
}

/** One row per person who can sign in, or was named as a member. */
export interface PersonRow {
  readonly id: string;
  readonly name: string;
  /** In lower case. */
  readonly email: string;
  /** Whether somebody has proven to read that address's mail. SQLite: 0 or 1. */
  readonly email_verified: boolean | number;
  readonly image: string | null;
  readonly created_at: StoredInstant;
  readonly updated_at: StoredInstant;
}

/** One row per session that has not ended. */
export interface SessionRow {
  readonly id: string;
  readonly expires_at: StoredInstant;
  /** What the cookie carries, signed with a secret that is not in this database. */
  readonly token: string;
  readonly created_at: StoredInstant;
  readonly updated_at: StoredInstant;
  /** The address that it was begun from. */
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly person_id: string;
  /** What its pages show, as long as the person belongs to it. */
  readonly organization_id: string | null;
}

/** One row per person and way of proving who they are; `credential` is a password. The columns of tokens are of other ways. */
export interface SignInAccountRow {
  readonly id: string;
  readonly account_id: string;
  readonly provider_id: string;
  readonly person_id: string;
  readonly access_token: string | null;
  readonly refresh_token: string | null;
  readonly id_token: string | null;
  readonly access_token_expires_at: StoredInstant | null;
  readonly refresh_token_expires_at: StoredInstant | null;
  readonly scope: string | null;
  /** Salt and scrypt hash. */
  readonly password: string | null;
  readonly created_at: StoredInstant;
  readonly updated_at: StoredInstant;
}

/** One row per thing that was sent out and may come back once, such as a link to sign in. */
export interface VerificationRow {
  readonly id: string;
  /** The hash of what was sent. */
  readonly identifier: string;
  /** JSON. */
  readonly value: string;
  readonly expires_at: StoredInstant;
  readonly created_at: StoredInstant;
  readonly updated_at: StoredInstant;
}

/** One row per organization and person that belongs to it. */
export interface MemberRow {
  readonly organization_id: string;
  readonly person_id: string;
  /** `owner` or `member`. */
  readonly role: string;
  readonly created_at: number;
}

/** One row per invitation that is open or has just expired; at most one per organization and address of mail. */
export interface InvitationRow {
  readonly id: string;
  readonly organization_id: string;
  readonly email: string;
  readonly role: string;
  /** SHA-256 in hex of the token in the link. */
  readonly token_hash: string;
  /** As the audit log names them. */
  readonly invited_by: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** One row per address, of mail or of a client, that has asked in the last while. */
export interface SignInLimitRow {
  readonly subject: string;
  readonly hits: number;
  /** When they are forgotten. */
  readonly ends_at: number;
}
