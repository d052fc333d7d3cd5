import type { ColumnType } from 'kysely';

/** better-auth writes the first four. */
export interface PeopleTables {
  readonly people: PersonRow;
  readonly sessions: SessionRow;
  readonly sign_in_accounts: SignInAccountRow;
  readonly verifications: VerificationRow;
  readonly members: MemberRow;
  readonly invitations: InvitationRow;
  readonly sign_in_limits: SignInLimitRow;
  readonly email_digests: EmailDigestRow;
}

/** One row per person who can sign in or was added as a member. */
export interface PersonRow {
  readonly id: string;
  readonly name: string;
  /** In lower case. */
  readonly email: string;
  /** SQLite: 0 or 1. */
  readonly email_verified: boolean | number;
  readonly image: string | null;
  readonly created_at: StoredInstant;
  readonly updated_at: StoredInstant;
}

/** One row per session that has not ended. */
export interface SessionRow {
  readonly id: string;
  readonly expires_at: StoredInstant;
  /** In the cookie, signed with a secret outside of this database. */
  readonly token: string;
  readonly created_at: StoredInstant;
  readonly updated_at: StoredInstant;
  /** Client address at sign-in. */
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly person_id: string;
  /** The selected organization; valid while the person is a member. */
  readonly organization_id: string | null;
}

/** One row per person and sign-in method; `credential` is a password. The token columns are for other methods. */
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

/** One row per single-use link or token. */
export interface VerificationRow {
  readonly id: string;
  /** The token's hash. */
  readonly identifier: string;
  /** JSON. */
  readonly value: string;
  readonly expires_at: StoredInstant;
  readonly created_at: StoredInstant;
  readonly updated_at: StoredInstant;
}

/** One row per organization and member. */
export interface MemberRow {
  readonly organization_id: string;
  readonly person_id: string;
  /** `owner` or `member`. */
  readonly role: string;
  readonly created_at: number;
}

/** One row per open or just expired invitation; at most one per organization and email address. */
export interface InvitationRow {
  readonly id: string;
  readonly organization_id: string;
  readonly email: string;
  readonly role: string;
  /** SHA-256 in hex of the link's token. */
  readonly token_hash: string;
  /** As named in the audit log. */
  readonly invited_by: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** One row per subject of a recent attempt. */
export interface SignInLimitRow {
  readonly subject: string;
  readonly hits: number;
  /** When the row can go. */
  readonly ends_at: number;
}

/** One row per person who chose a digest by email. */
export interface EmailDigestRow {
  readonly person_id: string;
  /** `daily` or `weekly`. */
  readonly frequency: string;
  /** Newest captured day that the digests cover; null: nothing was published. */
  readonly reported_day: string | null;
  /** The next digest, or the next try. */
  readonly due_at: number;
  /** Failed tries since the last due digest. */
  readonly failures: number;
  /** The process that sends it, and the end of its claim; null: none. */
  readonly claimed_by: string | null;
  readonly claimed_until: number | null;
}

/** better-auth's OAuth provider (migration 0010) documents them; comments cover what we read. */
export interface OAuthTables {
  readonly oauth_clients: OAuthClientRow;
  readonly oauth_client_assertions: OAuthClientAssertionRow;
  readonly oauth_resources: OAuthResourceRow;
  readonly oauth_client_resources: OAuthClientResourceRow;
  readonly oauth_refresh_tokens: OAuthRefreshTokenRow;
  readonly oauth_access_tokens: OAuthAccessTokenRow;
  readonly connections: ConnectionRow;
}

/** PostgreSQL returns it parsed, SQLite as text. */
type Json = unknown;
/** SQLite: 0 or 1. */
type Truth = boolean | number | null;

/** One row per registered program; anybody may register one. */
interface OAuthClientRow {
  readonly id: string;
  readonly client_id: string;
  /** Encrypted; null for public clients. */
  readonly client_secret: string | null;
  readonly client_discovery_id: string | null;
  readonly disabled: Truth;
  readonly skip_consent: Truth;
  readonly enable_end_session: Truth;
  readonly subject_type: string | null;
  readonly scopes: Json;
  readonly client_credentials_scopes: Json;
  readonly person_id: string | null;
  readonly created_at: StoredInstant | null;
  readonly updated_at: StoredInstant | null;
  /** The program's own claim. */
  readonly name: string | null;
  readonly uri: string | null;
  readonly icon: string | null;
  readonly contacts: Json;
  readonly tos: string | null;
  readonly policy: string | null;
  readonly software_id: string | null;
  readonly software_version: string | null;
  readonly software_statement: string | null;
  readonly redirect_uris: Json;
  readonly post_logout_redirect_uris: Json;
  readonly backchannel_logout_uri: string | null;
  readonly backchannel_logout_session_required: Truth;
  readonly token_endpoint_auth_method: string | null;
  readonly application_type: string | null;
  readonly jwks: string | null;
  readonly jwks_uri: string | null;
  readonly grant_types: Json;
  readonly response_types: Json;
  readonly require_pkce: Truth;
  readonly dpop_bound_access_tokens: Truth;
  readonly reference_id: string | null;
  readonly metadata: Json;
}

interface OAuthClientAssertionRow {
  readonly id: string;
  readonly expires_at: StoredInstant;
}

/** One row for the MCP address, and for each earlier one. */
interface OAuthResourceRow {
  readonly id: string;
  readonly identifier: string;
  readonly name: string;
  readonly access_token_ttl: number | null;
  readonly refresh_token_ttl: number | null;
  readonly signing_algorithm: string | null;
  readonly signing_key_id: string | null;
  readonly allowed_scopes: Json;
  readonly custom_claims: Json;
  readonly dpop_bound_access_tokens_required: Truth;
  readonly disabled: Truth;
  readonly created_at: StoredInstant | null;
  readonly updated_at: StoredInstant | null;
  readonly policy_version: number | null;
  readonly metadata: Json;
}

interface OAuthClientResourceRow {
  readonly id: string;
  readonly client_id: string;
  readonly resource_id: string;
  readonly metadata: Json;
  readonly created_at: StoredInstant | null;
}

interface OfConnection {
  readonly id: string;
  readonly client_id: string;
  readonly person_id: string;
  readonly organization_id: string;
}

interface TokenColumns extends OfConnection {
  readonly session_id: string | null;
  readonly authorization_code_id: string | null;
  /** The resources it is valid for. */
  readonly resources: Json;
  readonly requested_user_info_claims: Json;
  readonly expires_at: StoredInstant;
  readonly created_at: StoredInstant;
  readonly revoked: StoredInstant | null;
  readonly confirmation: Json;
  readonly scopes: Json;
}

/** One row per refresh token; used ones stay until they expire, to detect reuse. */
interface OAuthRefreshTokenRow extends TokenColumns {
  /** SHA-256 in hex. */
  readonly token: string;
  readonly rotated_at: StoredInstant | null;
  /** Encrypted; for a client that lost the response and retries at once. */
  readonly rotation_replay_response: string | null;
  readonly rotation_replay_expires_at: StoredInstant | null;
  readonly auth_time: StoredInstant | null;
}

interface OAuthAccessTokenRow extends TokenColumns {
  /** SHA-256 in hex. */
  readonly token: string;
  readonly refresh_id: string | null;
}

/** One row per program, person and organization. */
interface ConnectionRow extends OfConnection {
  readonly resources: Json;
  readonly requested_user_info_claims: Json;
  readonly scopes: Json;
  readonly created_at: StoredInstant;
  readonly updated_at: StoredInstant;
  readonly last_used_at: number | null;
}

/** PostgreSQL returns a Date, SQLite ISO text in UTC with milliseconds, which sorts by time. Both accept that text. */
export type StoredInstant = ColumnType<Date | string, string, string>;
