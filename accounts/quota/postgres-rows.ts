import type pg from 'pg';
import type { ReadRequest, ReleaseRequest, ReserveRequest, UsageAnswer, UsageRequest } from './usage-store.ts';

/** What a connection and a pool have in common. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

export type Answers = ReadonlyMap<UsageRequest, UsageAnswer>;

export interface UsageRow {
  readonly organization_id: string;
  readonly day: string;
  readonly used: number;
}

export interface KeyRow {
  readonly day: string;
  readonly api_key_id: string;
  readonly key: string;
  readonly holders: number;
}

export function usageKeyOf({ organizationId, day }: Pick<ReadRequest, 'organizationId' | 'day'>): string {
  return `${organizationId} ${day}`;
}

export function usageKeyOfRow(row: UsageRow): string {
  return `${row.organization_id} ${row.day}`;
}

export function keyOf({ day, apiKeyId, idempotencyKey }: ReserveRequest | ReleaseRequest): string {
  return `${day} ${apiKeyId} ${idempotencyKey}`;
}

export function keyOfRow({ day, api_key_id, key }: KeyRow): string {
  return `${day} ${api_key_id} ${key}`;
}

/** The items under the same key, in their order. */
export function groupBy<T>(items: readonly T[], keyOfItem: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOfItem(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
