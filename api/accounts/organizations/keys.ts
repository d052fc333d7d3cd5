import { AppError } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ulid.ts';
import { type ApiKeyRow, dateOrNull, type Transaction } from '../../database/tables/tables.ts';
import type { AuditedChanges } from '../audit.ts';
import { getOrganization, lockOrganization } from './organizations.ts';
import { API_KEYS, hashOfToken, lastFourOf } from './token-form.ts';

/** The key itself is shown only once. */
export type NewApiKey = ApiKey & { readonly key: string };

/** `expiresAt` null or absent: never. */
export type NewKeyOptions = Pick<ApiKey, 'organizationId' | 'name'> & Partial<Pick<ApiKey, 'expiresAt'>>;

export interface RotateKeyOptions {
  /** Refuses a key that is already being replaced, so that concurrent calls create one successor. */
  readonly isOnce?: boolean;
  /** How long the old key keeps working. */
  readonly overlapMs: number;
  /** End of the new key; null: never. */
  readonly expiresAt?: Date | null;
}

/** The key itself is never stored. */
export function createKey(
  { organizationId, name, expiresAt = null }: NewKeyOptions,
  changes: AuditedChanges,
): Promise<NewApiKey> {
  return changes.change(async (transaction, note) => {
    await lockOrganization(transaction, organizationId);
    const issued = await issueKey(transaction, { organizationId, name, expiresAt }, changes);
    const details = { name, expires_at: expiresAt };
    await note({ organizationId, action: 'key.create', subjectId: issued.id, details });
    return issued;
  });
}

/**
 * The old key ends after the overlap at the latest. Resolves to both; rejects with `usage` if the old one has ended.
 */
export function rotateKey(
  id: string,
  { overlapMs, expiresAt = null, isOnce = false }: RotateKeyOptions,
  changes: AuditedChanges,
) {
  return changes.change(async (transaction, note) => {
    const old = await lockKey(transaction, id);
    const now = changes.now().getTime();
    if (hasEnded(old, now)) throw new AppError('usage', `the key ${id} has already ended; issue a new one`);
    if (isOnce && old.expires_at !== null && old.expires_at <= now + overlapMs)
      throw new AppError('usage', `the key ${id} already ends within the overlap; issue a new one`);
    const expires_at = Math.min(old.expires_at ?? Number.POSITIVE_INFINITY, now + overlapMs);
    await transaction.updateTable('api_keys').set({ expires_at }).where('id', '=', id).execute();
    const { organization_id: organizationId, name } = old;
    const issued = await issueKey(transaction, { organizationId, name, expiresAt }, changes);
    const details = { new_key_id: issued.id, ends_at: new Date(expires_at), expires_at: expiresAt };
    await note({ organizationId, action: 'key.rotate', subjectId: id, details });
    return { issued, replaced: keyFromRow({ ...old, expires_at }) };
  });
}

/** Ended ones included, oldest first. */
export async function listKeys(
  organizationId: string | undefined,
  changes: AuditedChanges,
): Promise<readonly ApiKey[]> {
  if (organizationId !== undefined) await getOrganization(organizationId, changes);
  const rows = await changes.read((database) => {
    const all = database.selectFrom('api_keys').selectAll().orderBy('id');
    return (organizationId === undefined ? all : all.where('organization_id', '=', organizationId)).execute();
  });
  return rows.map(keyFromRow);
}

/** For good, at once in this process; a revoked key keeps its date. */
export function revokeKey(id: string, changes: AuditedChanges): Promise<ApiKey> {
  return changes.change(async (transaction, note) => {
    const row = await lockKey(transaction, id);
    if (row.revoked_at !== null) return keyFromRow(row);
    const revoked_at = changes.now().getTime();
    await transaction.updateTable('api_keys').set({ revoked_at }).where('id', '=', id).execute();
    const details = { name: row.name };
    await note({ organizationId: row.organization_id, action: 'key.revoke', subjectId: id, details });
    return keyFromRow({ ...row, revoked_at });
  });
}

async function issueKey(
  transaction: Transaction,
  { organizationId, name, expiresAt }: Pick<ApiKey, 'organizationId' | 'name' | 'expiresAt'>,
  changes: AuditedChanges,
): Promise<NewApiKey> {
  const key = API_KEYS.fromBytes(changes.newSecret());
  const row: ApiKeyRow = {
    id: newId('key'),
    organization_id: organizationId,
    hash: hashOfToken(key),
    name,
    last_four: lastFourOf(key),
    created_at: changes.now().getTime(),
    expires_at: expiresAt?.getTime() ?? null,
    last_used_at: null,
    revoked_at: null,
  };
  await transaction.insertInto('api_keys').values(row).execute();
  return { ...keyFromRow(row), key };
}

/** Locks the row until the transaction ends. */
async function lockKey(transaction: Transaction, id: string): Promise<ApiKeyRow> {
  const row = await transaction
    .updateTable('api_keys')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found', `there is no key ${id}`);
  return row;
}

function hasEnded({ revoked_at, expires_at }: ApiKeyRow, nowMs: number): boolean {
  return revoked_at !== null || (expires_at !== null && expires_at <= nowMs);
}

function keyFromRow(row: ApiKeyRow) {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    lastFour: row.last_four,
    createdAt: new Date(row.created_at),
    /** From then on the key is refused like an unknown one; null: never. */
    expiresAt: dateOrNull(row.expires_at),
    lastUsedAt: dateOrNull(row.last_used_at),
    revokedAt: dateOrNull(row.revoked_at),
  };
}

/** An issued key, without the key itself. */
export type ApiKey = Readonly<ReturnType<typeof keyFromRow>>;
