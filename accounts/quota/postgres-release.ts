import { groupBy, type KeyRow, keyOf, keyOfRow, type Queryable, usageKeyOf } from './postgres-rows.ts';
import * as statements from './postgres-statements.ts';
import type { ReleaseRequest } from './usage-store.ts';

/** Gives units back; those of an Idempotency-Key once nobody holds it any more. */
export async function release(client: Queryable, requests: readonly ReleaseRequest[]): Promise<void> {
  const plain = requests.filter(({ idempotencyKey }) => idempotencyKey === undefined);
  const byKey = groupBy(
    requests.filter(({ idempotencyKey }) => idempotencyKey !== undefined),
    keyOf,
  );
  const freed = await letGo(client, byKey);
  const units = [...plain, ...freed];
  if (units.length > 0) await client.query(statements.uncount([...groupBy(units, usageKeyOf).values()]));
}

/** Takes holders from their keys; of each key that is left without one, a request whose unit goes back. */
async function letGo(
  client: Queryable,
  byKey: ReadonlyMap<string, readonly ReleaseRequest[]>,
): Promise<ReleaseRequest[]> {
  const groups = [...byKey.values()];
  if (groups.length === 0) return [];
  const { rows } = await client.query<KeyRow>(statements.letGo(groups));
  const empty = rows
    .filter(({ holders }) => holders <= 0)
    .flatMap((row) => byKey.get(keyOfRow(row))?.slice(0, 1) ?? []);
  if (empty.length > 0) await client.query(statements.unclaim(empty));
  return empty;
}
