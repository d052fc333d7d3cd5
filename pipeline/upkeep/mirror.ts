/**
 * Mirroring (specification "Second store"; decision 0045): copies what the second store lacks, with verified hashes;
 * swaps its catalog, so that readers see the mirror before or after; then removes what prune removed here. A killed
 * mirror can be run again.
 */

import type { Day } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import { type Catalog, isSameRecord } from '../../schemas/catalog.ts';
import {
  type LoadedCatalog,
  listedReleases,
  loadCatalog,
  loadCatalogToContinue,
  newestEntry,
  swapCatalog,
} from '../../storage/catalog.ts';
import type { RecordedObject } from '../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { eachAtOnce, retryWhenRaced } from '../run/concurrency.ts';
import { type Run, runUpkeep, type UpkeepDeps, type UpkeepEnd } from '../run/run.ts';
import { claimWorkFolder } from '../run/work-folder.ts';
import { backfillToCopy, copyObject, filesToCopy, keysToRemove, marksToCopy, type Sides } from './mirrored-objects.ts';
import { listStoredObjects } from './stored-objects.ts';

export interface MirrorDeps extends UpkeepDeps {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  /** Copies or removals at once. */
  readonly copiesMax: number;
  readonly onRelease: (day: Day) => void;
}

export interface MirrorResult {
  readonly store: string;
  readonly releases: number;
  /** Of both stores. */
  readonly newest: Day | null;
  readonly copied: number;
  readonly bytes: number;
  readonly removed: number;
  /** False where the second store's catalog was equal already. */
  readonly swapped: boolean;
}

/**
 * Rejects with `usage` where the second store has other releases, or more of this one; with `not_found` where this
 * store is empty; with `corrupt` or `not_found` where an object here is damaged or lost: the second catalog stays.
 */
export function mirror(deps: MirrorDeps): Promise<MirrorResult & UpkeepEnd> {
  const request = { store: deps.to.url };
  const summarize = (facts: MirrorResult) => ({ status: 'ok', facts });
  return runUpkeep({ command: 'mirror', request, summarize }, deps, async (run) => {
    const { catalog } = await loadCatalogToContinue(deps.from);
    await claimWorkFolder(deps.workFolder, { store: deps.from, catalog });
    return retryWhenRaced(() => mirrorOnce(deps, run));
  });
}

async function mirrorOnce(deps: MirrorDeps, run: Run): Promise<MirrorResult> {
  const { from, to } = deps;
  const [ours, theirs] = [await loadCatalogToContinue(from), await loadCatalog(to)];
  if (ours.catalog === undefined) throw new AppError('not_found', `${from.url} holds no snapshots to mirror`);
  const [ourObjects, theirObjects] = [await listStoredObjects(from), await listStoredObjects(to)];
  const sides: Sides = { from, to, catalog: ours.catalog, theirs: theirs.catalog, ourObjects, theirObjects };
  assertMirrorOf(sides);
  try {
    const sent = await run.stage('copy', () => copyAll(sides, deps, run));
    const swapped = await run.stage('swap', () => swap(theirs, sides));
    const marked = await run.stage('marks', async () => sendAll(await marksToCopy(sides), deps, run));
    const removed = await run.stage('remove', () => removeAll(keysToRemove(sides), deps));
    const { length: releases } = sides.catalog.releases;
    const totals = { copied: sent.copied + marked.copied, bytes: sent.bytes + marked.bytes, removed, swapped };
    return { store: to.url, releases, newest: newestEntry(sides.catalog)?.day ?? null, ...totals };
  } catch (error) {
    throw (await isChanged(from, ours))
      ? new AppError('precondition_failed', 'the store changed meanwhile', { cause: error })
      : error;
  }
}

/** Explains a missing object: a prune or night swapped our catalog. */
async function isChanged(from: ObjectStore, { etag }: LoadedCatalog): Promise<boolean> {
  return (await loadCatalog(from)).etag !== etag;
}

function assertMirrorOf({ from, to, catalog, theirs, theirObjects }: Sides): void {
  const refuse = (why: string) => new AppError('usage', `${to.url} can't be a mirror of ${from.url}: ${why}`);
  if (from.url === to.url) throw refuse('it is the same store');
  if (theirs !== undefined && !isSameRecord(catalog, theirs)) throw refuse('it has other releases');
  if ((theirs?.releases.length ?? 0) > catalog.releases.length) {
    throw refuse(`it has snapshots of its own after ${newestEntry(catalog)?.day}`);
  }
  const listed = listedReleases(catalog);
  const strays = [...theirObjects.releases].filter(
    ([id, objects]) => !listed.has(id) && objects.some(({ path }) => path === RELEASE_PATHS.published),
  );
  const [stray] = strays;
  if (stray !== undefined) throw refuse(`${stray[0]} was published there but not here`);
}

interface Sent {
  readonly copied: number;
  readonly bytes: number;
}

async function copyAll(sides: Sides, deps: MirrorDeps, run: Run): Promise<Sent> {
  let sent = await sendAll(backfillToCopy(sides), deps, run);
  for (const entry of sides.catalog.releases) {
    const missing = await filesToCopy(entry, sides);
    if (missing.length === 0) continue;
    deps.onRelease(entry.day);
    const more = await sendAll(missing, deps, run);
    sent = { copied: sent.copied + more.copied, bytes: sent.bytes + more.bytes };
  }
  return sent;
}

/** Rejects with the first failure, after all copies have ended. */
async function sendAll(objects: readonly RecordedObject[], deps: MirrorDeps, run: Run): Promise<Sent> {
  const places = { from: deps.from, to: deps.to, scratch: run.folder.scratch };
  const bytes = await eachAtOnce(objects, deps.copiesMax, (object) => copyObject(object, places));
  return { copied: bytes.filter((each) => each > 0).length, bytes: bytes.reduce((sum, each) => sum + each, 0) };
}

/** False where the catalogs were equal. */
async function swap(theirs: LoadedCatalog, { to, catalog }: Sides): Promise<boolean> {
  const pricing = catalog.backfill?.pricing ?? null;
  const isSame = JSON.stringify(contentOf(theirs.catalog)) === JSON.stringify(contentOf(catalog));
  if (isSame) return false;
  const hadBackfill = theirs.catalog?.backfill !== undefined;
  const backfill = pricing === null && !hadBackfill ? undefined : { pricing };
  await swapCatalog(to, theirs, { releases: catalog.releases, backfill });
  return true;
}

function contentOf(catalog: Catalog | undefined) {
  return catalog === undefined ? undefined : [catalog.releases, catalog.backfill?.pricing ?? null];
}

async function removeAll(keys: readonly string[], { to, copiesMax }: MirrorDeps): Promise<number> {
  await eachAtOnce(keys, copiesMax, (key) => to.delete(key));
  return keys.length;
}
