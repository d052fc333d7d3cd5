import Table from 'cli-table3';
import pc from 'picocolors';
import type { ApiKey } from '../../accounts/administration/api-key.ts';
import { timestampFromDate } from '../../schemas/day.ts';
import { withAdministration } from '../configured-accounts.ts';
import type { CommandContext } from './command-context.ts';

export interface CreateKeyOptions {
  readonly org: string;
  readonly name: string;
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
export async function createKey(context: CommandContext, { org, name, json }: CreateKeyOptions): Promise<number> {
  const { key, ...issued } = await withAdministration(context, (administration) => administration.createKey(org, name));
  if (json) context.print(JSON.stringify({ ...jsonFrom(issued), key }));
  else {
    context.print(tableOf([issued]));
    context.print(`\n  ${pc.bold(key)}\n\nThis is the only time that the key is shown; only its hash is kept.`);
  }
  return 0;
}

/** `modelstats keys list [--org ID]`. */
export async function listKeys(context: CommandContext, { org, json }: ListKeysOptions): Promise<number> {
  const keys = await withAdministration(context, (administration) => administration.listKeys(org));
  if (json) context.print(JSON.stringify({ keys: keys.map(jsonFrom) }));
  else if (keys.length === 0) context.print('no keys yet; issue one with: modelstats keys create --org ID');
  else context.print(tableOf(keys));
  return 0;
}

/** `modelstats keys revoke ID`. */
export async function revokeKey(context: CommandContext, { id, json }: RevokeKeyOptions): Promise<number> {
  const revoked = await withAdministration(context, (administration) => administration.revokeKey(id));
  context.print(json ? JSON.stringify(jsonFrom(revoked)) : tableOf([revoked]));
  return 0;
}

function jsonFrom({ id, organizationId, name, lastFour, createdAt, lastUsedAt, revokedAt }: ApiKey) {
  return {
    ...{ id, organization_id: organizationId, name, last_four: lastFour, created_at: timestampFromDate(createdAt) },
    ...{ last_used_at: timestampOrNull(lastUsedAt), revoked_at: timestampOrNull(revokedAt) },
  };
}

function timestampOrNull(date: Date | null): string | null {
  return date === null ? null : timestampFromDate(date);
}

function tableOf(keys: readonly ApiKey[]): string {
  const table = new Table({
    head: ['ID', 'organization', 'name', 'ends with', 'created', 'last used', 'revoked'],
    style: { head: [], border: [] },
  });
  for (const key of keys) {
    const dates = [key.createdAt, key.lastUsedAt, key.revokedAt].map((date) => timestampOrNull(date) ?? '');
    table.push([key.id, key.organizationId, key.name, key.lastFour, ...dates]);
  }
  return table.toString();
}
