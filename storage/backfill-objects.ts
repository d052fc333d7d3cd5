/**
 * Objects of backfills (specification "Pricing backfill"). They never change; the catalog names the one in force. After
 * the swap a mark beside it repeats the catalog's entry, so that a lost catalog can be rebuilt.
 */

import { isAppError } from '../runtime/errors.ts';
import { type PricingBackfill, PricingBackfillSchema } from '../schemas/catalog.ts';
import { parseObject } from './catalog.ts';
import { fetchObject } from './fetch-object.ts';
import { BACKFILL_PREFIX, backfillFromKey, backfillKey, backfillMarkKey } from './keys.ts';
import type { ObjectStore } from './object-store.ts';

/** Copies a backfill's intervals to a local path; rejects with `not_found` or `corrupt`. */
export function fetchBackfill(store: ObjectStore, { run, bytes, sha256 }: PricingBackfill, to: string): Promise<void> {
  return fetchObject(store, { key: backfillKey(run), bytes, sha256 }, to);
}

/** Marks the backfill that a swap published. A failed mark is no error: the next run of the same table writes it. */
export async function markBackfill(store: ObjectStore, backfill: PricingBackfill): Promise<void> {
  try {
    await store.put(backfillMarkKey(backfill.run), Buffer.from(`${JSON.stringify(backfill)}\n`), { ifAbsent: true });
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
}

/**
 * The newest marked backfill whose intervals are complete, found without a catalog. Later runs sort after earlier ones.
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

/** Whether the store holds the intervals, with the recorded size. */
export async function hasBackfill(store: ObjectStore, { run, bytes }: PricingBackfill): Promise<boolean> {
  const head = await store.head(backfillKey(run));
  return head?.bytes === bytes;
}
