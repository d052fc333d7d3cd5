import type { ColumnType } from 'kysely';

/**
 * The rows that better-auth's OAuth provider keeps (migration 0010): it alone writes most of them, and what their columns are for is
 * told by its documentation. Here is told what is looked at besides.
 */
export interface OAuthTables {
  readonly oauth_clients: OAuthClientRow;
  readonly oauth_client_assertions: OAuthClientAssertionRow;
  readonly oauth_resources: OAuthResourceRow;
  readonly oauth_client_resources: OAuthClientResourceRow;
  readonly oauth_refresh_tokens: OAuthRefreshTokenRow;
  readonly oauth_access_tokens: OAuthAccessTokenRow;
  readonly connections: ConnectionRow;
}

/** A list or an object: PostgreSQL gives it parsed, SQLite as text. */
type Json = unknown;
/** SQLite: 0 or 1. */
type Truth = boolean | number | null;

/** One row per program that has registered; anybody may. */
export interface OAuthClientRow {
  readonly id: string;
  readonly client_id: string;
  /** Encrypted; null for programs on people's own machines, which keep no secret. */
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
  /** As it calls itself: whatever it likes. */
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

export interface OAuthClientAssertionRow {
  readonly id: string;
  readonly expires_at: StoredInstant;
}

/** What tokens are for: one row, the address of MCP, and those that it had before. */
export interface OAuthResourceRow {
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

export interface OAuthClientResourceRow {
  readonly id: string;
  readonly client_id: string;
  readonly resource_id: string;
  readonly metadata: Json;
  readonly created_at: StoredInstant | null;
}

/** Whose a token, or a connection, is. */
interface OfConnection {
  readonly id: string;
  readonly client_id: string;
  readonly person_id: string;
  readonly organization_id: string;
}

interface TokenColumns extends OfConnection {
  readonly session_id: string | null;
  readonly authorization_code_id: string | null;
  /** For what it is good. */
  readonly resources: Json;
  readonly requested_user_info_claims: Json;
  readonly expires_at: StoredInstant;
  readonly created_at: StoredInstant;
  readonly revoked: StoredInstant | null;
  readonly confirmation: Json;
  readonly scopes: Json;
}

/** One row per refresh token; one that was used stays until it expires, so that it is noticed when it comes again. */
export interface OAuthRefreshTokenRow extends TokenColumns {
  /** SHA-256 in hex. */
  readonly token: string;
  readonly rotated_at: StoredInstant | null;
  /** Encrypted, for a client that lost the answer and asks again at once. */
  readonly rotation_replay_response: string | null;
  readonly rotation_replay_expires_at: StoredInstant | null;
  readonly auth_time: StoredInstant | null;
}

export interface OAuthAccessTokenRow extends TokenColumns {
  /** SHA-256 in hex. */
  readonly token: string;
  readonly refresh_id: string | null;
}

/** One row per program that a person lets ask for an organization. */
export interface ConnectionRow extends OfConnection {
  readonly resources: Json;
  readonly requested_user_info_claims: Json;
  readonly scopes: Json;
  readonly created_at: StoredInstant;
  readonly updated_at: StoredInstant;
  readonly last_used_at: number | null;
}

/**
 * An instant as better-auth keeps it. PostgreSQL gives a Date, SQLite ISO text in UTC with milliseconds, which sorts by time; both take
 * that text, so it is what is written and compared with.
 */
export type StoredInstant = ColumnType<Date | string, string, string>;
