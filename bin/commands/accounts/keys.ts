import Table from 'cli-table3';
import type { ApiKey } from '../../../api/accounts/organizations/keys.ts';
import * as apiKeys from '../../../api/accounts/organizations/keys.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { paint } from '../../cli/paint.ts';
import { withChanges } from '../../config/accounts/configured-accounts.ts';

export interface CreateKeyOptions {
  readonly org: string;
  readonly name: string;
  /** An instant, or milliseconds from now. */
  readonly expires?: Date | number;
  readonly json?: boolean;
}

export interface RotateKeyOptions {
  readonly id: string;
  /** Milliseconds. */
  readonly overlap: number;
  readonly expires?: Date | number;
  readonly json?: boolean;
}

export interface ListKeysOptions {
  readonly org?: string;
  readonly json?: boolean;
}

export interface RevokeKeyOptions {
  readonly id: string;
  readonly json?: boolean;
}

/** `modelstats keys create`: issues a key and shows it, this once. */
export async function createKey(
  context: CommandContext,
  { org, name, expires, json }: CreateKeyOptions,
): Promise<number> {
  const expiresAt = expiryFrom(expires, context);
  const { key, ...issued } = await withChanges(context, (changes) =>
    apiKeys.createKey({ organizationId: org, name, expiresAt }, changes),
  );
  if (json) context.print(JSON.stringify({ ...jsonFrom(issued), key }));
  else showNew(context, [issued], key);
  return 0;
}

/** `modelstats keys rotate ID`: issues a key in place of another, which goes on working for the overlap. */
export async function rotateKey(
  context: CommandContext,
  { id, overlap: overlapMs, expires, json }: RotateKeyOptions,
): Promise<number> {
  const expiresAt = expiryFrom(expires, context);
  const { issued, replaced } = await withChanges(context, (changes) =>
    apiKeys.rotateKey(id, { overlapMs, expiresAt }, changes),
  );
  const { key, ...known } = issued;
  if (json) context.print(JSON.stringify({ ...jsonFrom(known), key, replaced: jsonFrom(replaced) }));
  else showNew(context, [known, replaced], key);
  return 0;
}

function showNew(context: CommandContext, keys: readonly ApiKey[], key: string): void {
  context.print(tableOf(keys));
  context.print(`\n  ${paint.bold(key)}\n\nThis is the only time that the key is shown; only its hash is kept.`);
}

/** The instant at which a key is to end; null: never. */
function expiryFrom(expires: Date | number | undefined, { clock }: Pick<CommandContext, 'clock'>): Date | null {
  if (expires === undefined) return null;
  const now = clock().getTime();
  const at = typeof expires === 'number' ? now + expires : expires.getTime();
  if (at <= now) throw new AppError('usage', '--expires lies in the past: the key would never work');
  return new Date(at);
}

/** `modelstats keys list [--org ID]`. */
export async function listKeys(context: CommandContext, { org, json }: ListKeysOptions): Promise<number> {
  const keys = await withChanges(context, (changes) => apiKeys.listKeys(org, changes));
  if (json) context.print(JSON.stringify({ keys: keys.map(jsonFrom) }));
  else if (keys.length === 0) context.print('no keys yet; issue one with: modelstats keys create --org ID');
  else context.print(tableOf(keys));
  return 0;
}

/** `modelstats keys revoke ID`. */
export async function revokeKey(context: CommandContext, { id, json }: RevokeKeyOptions): Promise<number> {
  const revoked = await withChanges(context, (changes) => apiKeys.revokeKey(id, changes));
  context.print(json ? JSON.stringify(jsonFrom(revoked)) : tableOf([revoked]));
  return 0;
}

function jsonFrom({ id, organizationId, name, lastFour, createdAt, expiresAt, lastUsedAt, revokedAt }: ApiKey) {
  return {
    id,
    organization_id: organizationId,
    name,
    last_four: lastFour,
    created_at: timestampFromDate(createdAt),
    expires_at: timestampOrNull(expiresAt),
    last_used_at: timestampOrNull(lastUsedAt),
    revoked_at: timestampOrNull(revokedAt),
  };
}

function timestampOrNull(date: Date | null): string | null {
  return date === null ? null : timestampFromDate(date);
}

function tableOf(keys: readonly ApiKey[]): string {
  const table = new Table({
    head: ['ID', 'organization', 'name', 'ends with', 'created', 'expires', 'last used', 'revoked'],
    style: { head: [], border: [] },
  });
  for (const key of keys) {
    const dates = [key.createdAt, key.expiresAt, key.lastUsedAt, key.revokedAt].map(
      (date) => timestampOrNull(date) ?? '',
    );
    table.push([key.id, key.organizationId, key.name, key.lastFour, ...dates]);
  }
  return table.toString();
}
