import type { ApiKeyRow } from '../database/tables.ts';

/** An issued key, without the key. */
export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly lastFour: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

export function keyFromRow(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    lastFour: row.last_four,
    createdAt: new Date(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
    revokedAt: row.revoked_at === null ? null : new Date(row.revoked_at),
  };
}
