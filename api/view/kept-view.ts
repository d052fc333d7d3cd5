import { setTimeout as sleep } from 'node:timers/promises';
import { isSameRecord } from '../../schemas/catalog.ts';
import { loadCatalog } from '../../storage/catalog.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { ViewMeta } from './view-meta.ts';

/** A view that an earlier process left, and the address of the store that it was built from, where that is known. */
export interface KeptView {
  readonly meta: ViewMeta;
  readonly url: string | undefined;
}

/**
 * How long a store may take to say what it holds before a kept view is served without its word, in milliseconds. Longer: a
 * process that starts while the store is away answers 503 for longer. Shorter: a slow store is taken for one that is away.
 */
export const ANSWER_MS_MAX = 5000;

/**
 * True where a kept view is of the record that a store holds (decision 0043): another store's data must not be served, not for a
 * second. Where the store doesn't answer in time, its address is taken for its word. Never rejects.
 */
export async function isKeptFrom(
  store: ObjectStore,
  { meta, url }: KeptView,
  answerMsMax = ANSWER_MS_MAX,
): Promise<boolean> {
  const giveUp = new AbortController();
  const late = sleep(answerMsMax, undefined, { ref: false, signal: giveUp.signal }).catch(() => undefined);
  const answer = await Promise.race([holdsRecord(store, meta).catch(() => undefined), late]);
  giveUp.abort();
  return answer ?? url === store.url;
}

/** Whether a store holds what a view was built from; rejects where it can't be asked. */
async function holdsRecord(store: ObjectStore, { catalog: kept }: ViewMeta): Promise<boolean> {
  const { catalog } = await loadCatalog(store).catch(() => ({ catalog: undefined }));
  if (catalog !== undefined) return isSameRecord(kept, catalog);
  // A store that has lost its catalog, or whose catalog is damaged, still has its releases.
  const first = kept.releases[0];
  return first !== undefined && (await store.head(releaseKey(first, RELEASE_PATHS.release))) !== undefined;
}
