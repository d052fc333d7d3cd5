/**
 * The objects of backfills (specification "Pricing backfill"). An object never changes; the catalog says which one is in
 * force. A mark beside it, put after the swap, repeats the catalog's entry, so that a lost catalog can be rebuilt with the
 * newest one.
 */

import { isAppError } from '../runtime/errors.ts';
import { type PricingBackfill, PricingBackfillSchema } from '../schemas/catalog.ts';
import { parseObject } from './catalog.ts';
import { fetchObject } from './fetch-object.ts';
import { BACKFILL_PREFIX, backfillFromKey, backfillKey, backfillMarkKey } from './keys.ts';
import type { ObjectStore } from './object-store.ts';

/** Copies the intervals of a backfill to a local path; rejects with `not_found` or `corrupt`. */
export function fetchBackfill(store: ObjectStore, { run, bytes, sha256 }: PricingBackfill, to: string): Promise<void> {
  return fetchObject(store, { key: backfillKey(run), bytes, sha256 }, to);
}

/**
 * Marks the backfill that a swap has made live. The swap has published it already, so a mark that can't be put is no
 * failure; the same table run again puts it.
 */
export async function markBackfill(store: ObjectStore, backfill: PricingBackfill): Promise<void> {
  try {
    await store.put(backfillMarkKey(backfill.run), Buffer.from(`${JSON.stringify(backfill)}\n`), { ifAbsent: true });
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
}

/**
 * The backfill in force, told without a catalog: the newest marked one whose intervals are there in full. Runs are named
 * so that a later one sorts after an earlier one.
 */
export async function findNewestBackfill(store: ObjectStore): Promise<PricingBackfill | undefined> {
  const marks: string[] = [];
  for await (const { key } of store.list(BACKFILL_PREFIX)) {
    if (backfillFromKey(key)?.isMark === true) marks.push(key);
  }
  for (const key of marks.sort().reverse()) {
    const object = await store.get(key);
    if (object === undefined) continue;
    const backfill = parseObject(PricingBackfillSchema, object.body, { where: `${store.url}: ${key}` });
    if (await hasBackfill(store, backfill)) return backfill;
  }
  return undefined;
}

/** True where the intervals of a backfill are in the store, with the recorded size. */
export async function hasBackfill(store: ObjectStore, { run, bytes }: PricingBackfill): Promise<boolean> {
  const head = await store.head(backfillKey(run));
  return head?.bytes === bytes;
}
