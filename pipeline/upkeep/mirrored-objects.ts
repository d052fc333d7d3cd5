import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError } from '../../runtime/errors.ts';
import { retry } from '../../runtime/retry.ts';
import type { Catalog, CatalogEntry } from '../../schemas/catalog.ts';
import { loadRelease } from '../../storage/catalog.ts';
import { fetchObject, type RecordedObject } from '../../storage/fetch-object.ts';
import { hashStream, sha256 } from '../../storage/hash.ts';
import { backfillKey, backfillMarkKey, RELEASE_PATHS, releaseId, releaseKey } from '../../storage/keys.ts';
import type { ListedObject, ObjectStore } from '../../storage/object-store.ts';
import { isListed, type StoredObjects } from './stored-objects.ts';

export interface Sides {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  readonly catalog: Catalog;
  /** Undefined without a catalog. */
  readonly theirs: Catalog | undefined;
  readonly ourObjects: StoredObjects;
  readonly theirObjects: StoredObjects;
}

/**
 * The files of a release that the second store needs before its catalog lists it. Where both catalogs share the entry,
 * sizes are enough: the rest was verified when copied.
 */
export async function filesToCopy(entry: CatalogEntry, sides: Sides): Promise<readonly RecordedObject[]> {
  const theirs = sides.theirs?.releases.find(({ day }) => day === entry.day);
  const isSettled = JSON.stringify(theirs) === JSON.stringify(entry);
  const ours = sizesOf(sides.ourObjects.releases.get(releaseId(entry)));
  const held = sizesOf(sides.theirObjects.releases.get(releaseId(entry)));
  const isMissing = ([path, size]: [string, number]) => isListed(entry, path) && held.get(path) !== size;
  if (isSettled && ![...ours].some(isMissing)) return [];
  const release = await loadRelease(sides.from, entry);
  const files = release.files.filter(({ path }) => isListed(entry, path));
  const bytes = ours.get(RELEASE_PATHS.release) ?? 0;
  const all = [...files, { path: RELEASE_PATHS.release, bytes, sha256: entry.release_sha256 }];
  const needed = isSettled ? all.filter((file) => held.get(file.path) !== file.bytes) : all;
  return needed.map(({ path, ...recorded }) => ({ key: releaseKey(entry, path), ...recorded }));
}

function sizesOf(objects: readonly (ListedObject & { readonly path: string })[] = []): ReadonlyMap<string, number> {
  return new Map(objects.map(({ path, bytes }) => [path, bytes]));
}

export function backfillToCopy({ catalog, theirs }: Sides): readonly RecordedObject[] {
  const pricing = catalog.backfill?.pricing ?? null;
  if (pricing === null || JSON.stringify(pricing) === JSON.stringify(theirs?.backfill?.pricing)) return [];
  return [{ key: backfillKey(pricing.run), bytes: pricing.bytes, sha256: pricing.sha256 }];
}

/** Copied once the second catalog lists the releases. */
export async function marksToCopy({
  from,
  catalog,
  ourObjects,
  theirObjects,
}: Sides): Promise<readonly RecordedObject[]> {
  const keys = catalog.releases.flatMap((entry) => {
    const [ours, held] = [ourObjects, theirObjects].map(({ releases }) => sizesOf(releases.get(releaseId(entry))));
    const bytes = ours?.get(RELEASE_PATHS.published);
    const isMissing = bytes !== undefined && held?.get(RELEASE_PATHS.published) !== bytes;
    return isMissing ? [releaseKey(entry, RELEASE_PATHS.published)] : [];
  });
  const run = catalog.backfill?.pricing?.run;
  const isMarked = run !== undefined && theirObjects.backfills.get(run)?.some(({ isMark }) => isMark) === true;
  const marks: RecordedObject[] = [];
  for (const key of run === undefined || isMarked ? keys : [...keys, backfillMarkKey(run)]) {
    const object = await from.get(key);
    if (object !== undefined) marks.push({ key, bytes: object.body.length, sha256: sha256(object.body) });
  }
  return marks;
}

/** Unlisted parts, releases under a corrected day, and replaced backfills that prune removed here. */
export function keysToRemove({ catalog, ourObjects, theirObjects }: Sides): readonly string[] {
  const parts = catalog.releases.flatMap((entry) =>
    (theirObjects.releases.get(releaseId(entry)) ?? []).filter(({ path }) => !isListed(entry, path)),
  );
  const inForce = catalog.backfill?.pricing?.run ?? '';
  const replaced = [...theirObjects.backfills].filter(([run]) => run < inForce && !ourObjects.backfills.has(run));
  const redated = catalog.releases
    .flatMap(({ redated_from: was }) => (was === undefined ? [] : [releaseId(was)]))
    .filter((id) => !ourObjects.releases.has(id))
    .flatMap((id) => theirObjects.releases.get(id) ?? []);
  return [...parts, ...redated, ...replaced.flatMap(([, objects]) => objects)].map(({ key }) => key);
}

export interface CopyDeps {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  readonly scratch: string;
}

/** Beyond the adapters' retries, and for objects written by another copier meanwhile. */
const ATTEMPTS_MAX = 3;
const DELAY_MS = 500;

/**
 * Resolves to the bytes sent, 0 where the second store had them. Rejects with `corrupt` or `not_found` where the first
 * store hasn't: damage isn't copied.
 */
export function copyObject(object: RecordedObject, deps: CopyDeps): Promise<number> {
  const delayAfter = (error: unknown, attempt: number) => {
    const isPassing = isAppError(error, 'store_unavailable') || isAppError(error, 'precondition_failed');
    return isPassing && attempt < ATTEMPTS_MAX ? DELAY_MS * attempt * (1 + Math.random()) : undefined;
  };
  return retry(() => copyOnce(object, deps), { delayAfter });
}

async function copyOnce(object: RecordedObject, { from, to, scratch }: CopyDeps): Promise<number> {
  const { key, bytes } = object;
  const head = await to.head(key);
  if (head?.bytes === bytes && (await isSame(object, to))) return 0;
  const local = join(scratch, key.replaceAll('/', '.'));
  try {
    await fetchObject(from, object, local);
    await to.putFile(key, local, head === undefined ? { ifAbsent: true } : { ifMatch: head.etag });
  } finally {
    await rm(local, { force: true });
  }
  if (await isSame(object, to)) return bytes;
  throw new AppError(
    'corrupt',
    `${to.url}: ${key} reads back differently from what was written (sha256 is not ${object.sha256})`,
  );
}

async function isSame(recorded: RecordedObject, store: ObjectStore): Promise<boolean> {
  const found = await hashStream(await store.stream(recorded.key));
  return found.bytes === recorded.bytes && found.sha256 === recorded.sha256;
}
