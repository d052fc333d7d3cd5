import type { ApiKeyRow } from '../../database/tables/tables.ts';
import { API_KEYS, hashOfToken, lastFourOf } from '../credentials/token-form.ts';

/** What is known of an issued key; the key itself is not kept. */
export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly lastFour: string;
  readonly createdAt: Date;
  /** From then on it is refused like an unknown one; null: never. */
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A key at the only time when it can be shown. */
export type NewApiKey = ApiKey & { readonly key: string };

export interface KeyToIssue extends Pick<ApiKey, 'id' | 'organizationId' | 'name' | 'createdAt' | 'expiresAt'> {
  /** 32 of them. */
  readonly bytes: Uint8Array;
}

/** A new key, and the row that is kept of it. */
export function issueKey({ bytes, id, organizationId, name, createdAt, expiresAt }: KeyToIssue) {
  const key = API_KEYS.fromBytes(bytes);
  const row: ApiKeyRow = {
    id,
    organization_id: organizationId,
    hash: hashOfToken(key),
    name,
    last_four: lastFourOf(key),
    created_at: createdAt.getTime(),
    expires_at: expiresAt?.getTime() ?? null,
    last_used_at: null,
    revoked_at: null,
  };
  return { key, row };
}

export function keyFromRow(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    lastFour: row.last_four,
    createdAt: new Date(row.created_at),
    expiresAt: dateOrNull(row.expires_at),
    lastUsedAt: dateOrNull(row.last_used_at),
    revokedAt: dateOrNull(row.revoked_at),
  };
}

function dateOrNull(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds);
}
