/**
 * Mirroring (specification "Second store"; decision 0045): makes a second store equal to this one. What it lacks is copied, each
 * object proven by its recorded hash; then its catalog is swapped, so that a reader of it sees the mirror before or after, never
 * a part; then what prune removed here goes there too. Killed at any instant, it goes on where it was: what was copied is found
 * to be right.
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
import {
  copyObject,
  type Sides,
  unwantedKeys,
  wantedMarks,
  wantedOfBackfill,
  wantedOfRelease,
} from './mirrored-objects.ts';
import { listStoredObjects } from './stored-objects.ts';

export interface MirrorDeps extends UpkeepDeps {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  /** Objects that are copied or removed at once. */
  readonly copiesMax: number;
  /** Called as each release begins to be copied. */
  readonly onRelease: (day: Day) => void;
}

export interface MirrorResult {
  /** The second store. */
  readonly store: string;
  readonly releases: number;
  /** The newest snapshot that both have now. */
  readonly newest: Day | null;
  /** Objects that were sent, and their bytes. */
  readonly copied: number;
  readonly bytes: number;
  readonly removed: number;
  /** False where the second store's catalog said the same already. */
  readonly swapped: boolean;
}

/**
 * Makes the second store equal. Rejects with `usage` where it holds another record, or more of this one; with `not_found` where
 * this store is empty; with `corrupt` or `not_found` where an object here is damaged or lost, which is never copied: the second
 * store's catalog stays as it was then.
 */
export function mirror(deps: MirrorDeps): Promise<MirrorResult & UpkeepEnd> {
  const request = { store: deps.to.url };
  const tell = (facts: MirrorResult) => ({ status: 'ok', facts });
  return runUpkeep({ command: 'mirror', request, tell }, deps, async (run) => {
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
    const marked = await run.stage('marks', async () => sendAll(await wantedMarks(sides), deps, run));
    const removed = await run.stage('remove', () => removeAll(unwantedKeys(sides), deps));
    const { length: releases } = sides.catalog.releases;
    const totals = { copied: sent.copied + marked.copied, bytes: sent.bytes + marked.bytes, removed, swapped };
    return { store: to.url, releases, newest: newestEntry(sides.catalog)?.day ?? null, ...totals };
  } catch (error) {
    throw (await isChanged(from, ours))
      ? new AppError('precondition_failed', 'the store changed meanwhile', { cause: error })
      : error;
  }
}

/** True where a prune or a night has swapped our catalog since, which explains an object that is gone. */
async function isChanged(from: ObjectStore, { etag }: LoadedCatalog): Promise<boolean> {
  return (await loadCatalog(from)).etag !== etag;
}

function assertMirrorOf({ from, to, catalog, theirs, theirObjects }: Sides): void {
  const refuse = (why: string) => new AppError('usage', `${to.url} can't be a mirror of ${from.url}: ${why}`);
  if (from.url === to.url) throw refuse('it is the same store');
  if (theirs !== undefined && !isSameRecord(catalog, theirs)) throw refuse('it holds another record');
  if ((theirs?.releases.length ?? 0) > catalog.releases.length) {
    throw refuse(`it has snapshots of its own after ${newestEntry(catalog)?.day}`);
  }
  const listed = listedReleases(catalog);
  const strays = [...theirObjects.releases].filter(
    ([id, objects]) => !listed.has(id) && objects.some(({ path }) => path === RELEASE_PATHS.published),
  );
  const [stray] = strays;
  if (stray !== undefined) throw refuse(`${stray[0]} was published there, and not here`);
}

interface Sent {
  readonly copied: number;
  readonly bytes: number;
}

async function copyAll(sides: Sides, deps: MirrorDeps, run: Run): Promise<Sent> {
  let sent = await sendAll(wantedOfBackfill(sides), deps, run);
  for (const entry of sides.catalog.releases) {
    const wanted = await wantedOfRelease(entry, sides);
    if (wanted.length === 0) continue;
    deps.onRelease(entry.day);
    const more = await sendAll(wanted, deps, run);
    sent = { copied: sent.copied + more.copied, bytes: sent.bytes + more.bytes };
  }
  return sent;
}

/** Rejects with the first failure, when no copy is under way any more. */
async function sendAll(objects: readonly RecordedObject[], deps: MirrorDeps, run: Run): Promise<Sent> {
  const places = { from: deps.from, to: deps.to, scratch: run.folder.scratch };
  const bytes = await eachAtOnce(objects, deps.copiesMax, (object) => copyObject(object, places));
  return { copied: bytes.filter((each) => each > 0).length, bytes: bytes.reduce((sum, each) => sum + each, 0) };
}

/** Makes the second store's catalog say what ours says; resolves to whether it had to. */
async function swap(theirs: LoadedCatalog, { to, catalog }: Sides): Promise<boolean> {
  const pricing = catalog.backfill?.pricing ?? null;
  const isSame = JSON.stringify(told(theirs.catalog)) === JSON.stringify(told(catalog));
  if (isSame) return false;
  const hadBackfill = theirs.catalog?.backfill !== undefined;
  const backfill = pricing === null && !hadBackfill ? undefined : { pricing };
  await swapCatalog(to, theirs, { releases: catalog.releases, backfill });
  return true;
}

/** What a catalog tells, but for how often it was swapped. */
function told(catalog: Catalog | undefined) {
  return catalog === undefined ? undefined : [catalog.releases, catalog.backfill?.pricing ?? null];
}

async function removeAll(keys: readonly string[], { to, copiesMax }: MirrorDeps): Promise<number> {
  await eachAtOnce(keys, copiesMax, (key) => to.delete(key));
  return keys.length;
}
