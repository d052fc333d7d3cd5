/**
 * The catalog: the list of live releases, and the only object that nights overwrite. A reader that has a catalog sees a
 * whole, immutable world; swapping the catalog by put-if-match is the commit of every change to the store (specification
 * "Conditional writes").
 */
import { z } from 'zod';
import { AppError, isAppError } from '../runtime/errors.ts';
import { type Catalog, type CatalogEntry, CatalogSchema, findOrderFault } from '../schemas/catalog.ts';
import { RELEASE_FORMAT, type Release, type ReleaseRef, ReleaseSchema, withRepairs } from '../schemas/release.ts';
import { sha256 } from './hash.ts';
import {
  CATALOG_KEY,
  RELEASE_PATHS,
  RELEASES_PREFIX,
  type ReleaseName,
  releaseFromKey,
  releaseId,
  releaseKey,
} from './keys.ts';
import type { ObjectStore } from './object-store.ts';

/** A catalog with the version that a swap must replace; both undefined in a store that has none yet. */
export interface LoadedCatalog {
  readonly catalog: Catalog | undefined;
  readonly etag: string | undefined;
}

/** Reads the catalog; rejects with `corrupt` where it is not one, or its releases don't follow from each other. */
export async function loadCatalog(store: ObjectStore): Promise<LoadedCatalog> {
  const object = await store.get(CATALOG_KEY);
  if (object === undefined) return { catalog: undefined, etag: undefined };
  const where = `${store.url}: ${CATALOG_KEY}`;
  const hint = '; modelstats catalog rebuild makes it anew';
  const catalog = parseObject(CatalogSchema, object.body, { where, hint });
  const fault = findOrderFault(catalog);
  if (fault !== undefined) throw new AppError('corrupt', `${where} is out of order: ${fault}${hint}`);
  return { catalog, etag: object.etag };
}

/**
 * Leaves a mark in a release that has been made live, from which a lost catalog can be rebuilt even where a night that lost the
 * race left a complete release of the same day. It holds the bytes of release.json, from which a damaged one can be put back. The
 * swap has published already, so a mark that can't be put is no failure: the next night's `prev` says the same.
 */
export async function markPublished(store: ObjectStore, release: ReleaseName, body: Buffer): Promise<void> {
  const key = releaseKey(release, RELEASE_PATHS.published);
  try {
    const mark = await store.get(key);
    if (mark?.body.equals(body)) return;
    await store.put(key, body, mark === undefined ? { ifAbsent: true } : { ifMatch: mark.etag });
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
}

/** What a swap replaces; whatever it leaves out stays as it was. */
export interface CatalogUpdate {
  readonly releases?: readonly CatalogEntry[];
  readonly backfill?: Catalog['backfill'];
}

/**
 * Replaces the catalog by one with the update. Rejects with `precondition_failed` when another process swapped first:
 * nothing has changed then, and the caller decides on a fresh catalog.
 */
export async function swapCatalog(
  store: ObjectStore,
  previous: LoadedCatalog,
  update: CatalogUpdate,
): Promise<Catalog> {
  const backfill = update.backfill ?? previous.catalog?.backfill;
  const catalog: Catalog = {
    format: 1,
    generation: (previous.catalog?.generation ?? 0) + 1,
    releases: [...(update.releases ?? previous.catalog?.releases ?? [])],
    ...(backfill === undefined ? {} : { backfill }),
  };
  const body = Buffer.from(`${JSON.stringify(catalog)}\n`, 'utf8');
  await store.put(CATALOG_KEY, body, previous.etag === undefined ? { ifAbsent: true } : { ifMatch: previous.etag });
  return catalog;
}

/** What names a release.json: a catalog entry, or a later release's `prev`, which knows of no repairs. */
export type NamedRelease = ReleaseRef & Pick<CatalogEntry, 'repaired'>;

/**
 * The release.json that a catalog entry, or a later release's `prev`, names, with its files as they are after repairs; rejects
 * with `corrupt` where it is missing or not the recorded one.
 */
export async function loadRelease(store: ObjectStore, ref: NamedRelease): Promise<Release> {
  const key = releaseKey(ref, RELEASE_PATHS.release);
  const object = await store.get(key);
  if (object === undefined) throw new AppError('corrupt', `${store.url}: ${key} is missing`);
  return releaseFromBody(object.body, ref, `${store.url}: ${key}`);
}

/** {@link loadRelease} of bytes that were read somewhere; `where` is for the message. */
export function releaseFromBody(body: Buffer, ref: NamedRelease, where: string): Release {
  if (sha256(body) !== ref.release_sha256) {
    throw new AppError('corrupt', `${where} is not the file that the catalog names (sha256 differs)`);
  }
  return withRepairs(parseRelease(body, where), ref.repaired);
}

/** Parses a release.json; rejects with `corrupt`, and says so where it is whole but of another format. */
export function parseRelease(body: Buffer, where: string): Release {
  const format = z.object({ format: z.number() }).safeParse(parseObject(z.unknown(), body, { where })).data?.format;
  if (format === undefined || format === RELEASE_FORMAT) return parseObject(ReleaseSchema, body, { where });
  const hint = format < RELEASE_FORMAT ? 'publish its days anew into an empty store' : 'use the newer program';
  throw new AppError('corrupt', `${where} is of format ${format}, this program reads ${RELEASE_FORMAT}: ${hint}`);
}

/** The newest live release. */
export function newestEntry(catalog: Catalog | undefined): CatalogEntry | undefined {
  return catalog?.releases.at(-1);
}

/** The live release of a day; rejects with `not_found`. */
export function getEntry(catalog: Catalog | undefined, day: string): CatalogEntry {
  const entry = catalog?.releases.find((release) => release.day === day);
  if (entry === undefined) throw new AppError('not_found', `there is no snapshot ${day}`);
  return entry;
}

/** Parses stored JSON with its schema; rejects with `corrupt`, naming the object and what an operator may do. */
export function parseObject<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false; error: Error } },
  body: Buffer,
  { where, hint = '' }: { readonly where: string; readonly hint?: string },
): T {
  try {
    const result = schema.safeParse(JSON.parse(body.toString('utf8')));
    if (result.success) return result.data;
    throw result.error;
  } catch (cause) {
    throw new AppError('corrupt', `${where} can't be read: it is damaged or of another version${hint}`, { cause });
  }
}

/**
 * Where to look for published releases that the catalog lacks: `newest` reads the names of the newest day and those after it,
 * whatever the store's age, and finds a catalog of an earlier night; `all` reads every name.
 */
type LookedAt = 'newest' | 'all';

/**
 * The catalog for whoever is about to continue the series, or to prove it (decision 0042). A catalog that was restored from an older
 * copy can be read and is in order, but releases that were published after that copy lie beside it: to go on from it would give their
 * seqs a second meaning. Such a release carries the mark `published` (decision 0006), and prune never removes it.
 *
 * Loads the catalog. Rejects with `corrupt`, saying how to mend it, where it is not one, is out of order, or lacks a release that was
 * published; also where there is none at all but releases that were.
 */
export async function loadCatalogToContinue(store: ObjectStore, looked: LookedAt = 'newest'): Promise<LoadedCatalog> {
  const loaded = await loadCatalog(store);
  const unlisted = await findUnlisted(store, loaded.catalog, looked);
  if (unlisted.length === 0) return loaded;
  // They may have become live between the two looks.
  const again = await loadCatalog(store);
  const lost = withoutListed(unlisted, again.catalog);
  if (lost.length === 0) return again;
  throw new AppError('corrupt', again.catalog === undefined ? whyNoCatalog(store) : whyUnlisted(store, lost));
}

/** For people: what to do with a store that has published releases but no catalog. */
export function whyNoCatalog({ url }: ObjectStore): string {
  return `${url} has published releases but no catalog; rebuild it first: modelstats catalog rebuild`;
}

/** For people: what to do with a store whose catalog lacks releases. */
export function whyUnlisted({ url }: ObjectStore, lost: readonly ReleaseName[]): string {
  const were = lost.length === 1 ? 'was' : 'were';
  return (
    `${url}: ${lost.map(releaseId).join(', ')} ${were} published, but catalog.json does not name it: is it an older copy? ` +
    'To go on from it would number the feed a second time; rebuild it first: modelstats catalog rebuild'
  );
}

/** As many as a message names. */
const UNLISTED_MAX = 3;

/** Releases that were published and that a catalog doesn't name, at most {@link UNLISTED_MAX}, oldest first. */
export async function findUnlisted(
  store: ObjectStore,
  catalog: Catalog | undefined,
  looked: LookedAt,
): Promise<readonly ReleaseName[]> {
  const newest = looked === 'newest' ? newestEntry(catalog)?.day : undefined;
  const options = newest === undefined ? {} : { startAfter: `${RELEASES_PREFIX}${newest}` };
  const listed = listedReleases(catalog);
  const unlisted: ReleaseName[] = [];
  for await (const { key } of store.list(RELEASES_PREFIX, options)) {
    const release = releaseFromKey(key);
    if (release?.path !== RELEASE_PATHS.published || listed.has(releaseId(release))) continue;
    unlisted.push({ day: release.day, run: release.run });
    if (unlisted.length === UNLISTED_MAX) break;
  }
  return unlisted;
}

/** The names of the live releases, and those that they had before they were given their right day. */
export function listedReleases(catalog: Catalog | undefined): ReadonlySet<string> {
  const releases = catalog?.releases ?? [];
  return new Set([...releases, ...releases.flatMap(({ redated_from }) => redated_from ?? [])].map(releaseId));
}

/** The releases that a catalog doesn't name. */
function withoutListed(releases: readonly ReleaseName[], catalog: Catalog | undefined): readonly ReleaseName[] {
  const listed = listedReleases(catalog);
  return releases.filter((release) => !listed.has(releaseId(release)));
}
