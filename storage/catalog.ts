/**
 * The catalog lists the live releases and is the only object that nights overwrite. A reader of one catalog sees an
 * immutable world; swapping it by put-if-match commits every change to the store (specification "Conditional writes").
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

/** A catalog and the version that a swap must replace; both undefined in an empty store. */
export interface LoadedCatalog {
  readonly catalog: Catalog | undefined;
  readonly etag: string | undefined;
}

/** Rejects with `corrupt` for an invalid catalog, or one whose releases don't follow each other. */
export async function loadCatalog(store: ObjectStore): Promise<LoadedCatalog> {
  const object = await store.get(CATALOG_KEY);
  if (object === undefined) return { catalog: undefined, etag: undefined };
  const where = `${store.url}: ${CATALOG_KEY}`;
  const hint = '; modelstats catalog rebuild creates it again';
  const catalog = parseObject(CatalogSchema, object.body, { where, hint });
  const fault = findOrderFault(catalog);
  if (fault !== undefined) throw new AppError('corrupt', `${where} is out of order: ${fault}${hint}`);
  return { catalog, etag: object.etag };
}

/**
 * Marks a release as published, with the bytes of release.json, so that a lost catalog or a damaged release.json can be
 * restored. A failed mark is no error: the next night's `prev` names the release too.
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

/** What a swap replaces; the rest stays. */
export interface CatalogUpdate {
  readonly releases?: readonly CatalogEntry[];
  readonly backfill?: Catalog['backfill'];
}

/** Rejects with `precondition_failed` if another process swapped first; then nothing has changed. */
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

/** A catalog entry, or a later release's `prev`, which knows no repairs. */
export type NamedRelease = ReleaseRef & Pick<CatalogEntry, 'repaired'>;

/**
 * Loads a release.json, its files as they are after repairs; rejects with `corrupt` if it is missing or not the
 * recorded one.
 */
export async function loadRelease(store: ObjectStore, ref: NamedRelease): Promise<Release> {
  const key = releaseKey(ref, RELEASE_PATHS.release);
  const object = await store.get(key);
  if (object === undefined) throw new AppError('corrupt', `${store.url}: ${key} is missing`);
  return releaseFromBody(object.body, ref, `${store.url}: ${key}`);
}

export function releaseFromBody(body: Buffer, ref: NamedRelease, where: string): Release {
  if (sha256(body) !== ref.release_sha256) {
    throw new AppError('corrupt', `${where} is not the file that the catalog names (sha256 differs)`);
  }
  return withRepairs(parseRelease(body, where), ref.repaired);
}

/** Rejects with `corrupt`, also for a release of another format. */
export function parseRelease(body: Buffer, where: string): Release {
  const format = z.object({ format: z.number() }).safeParse(parseObject(z.unknown(), body, { where })).data?.format;
  if (format === undefined || format === RELEASE_FORMAT) return parseObject(ReleaseSchema, body, { where });
  const hint =
    format < RELEASE_FORMAT ? 'publish its days again into an empty store' : 'use a newer version of the program';
  throw new AppError('corrupt', `${where} has format ${format}, but this program reads ${RELEASE_FORMAT}: ${hint}`);
}

export function newestEntry(catalog: Catalog | undefined): CatalogEntry | undefined {
  return catalog?.releases.at(-1);
}

/** Rejects with `not_found`. */
export function getEntry(catalog: Catalog | undefined, day: string): CatalogEntry {
  const entry = catalog?.releases.find((release) => release.day === day);
  if (entry === undefined) throw new AppError('not_found', `there is no snapshot ${day}`);
  return entry;
}

/** Parses stored JSON; rejects with `corrupt`, naming the object and a remedy. */
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
    throw new AppError('corrupt', `${where} is damaged or of another version${hint}`, { cause });
  }
}

/**
 * Where to search for published releases that the catalog lacks: `newest` lists the newest day and later ones, which
 * finds a catalog of an earlier night at constant cost; `all` lists every key.
 */
type ScanScope = 'newest' | 'all';

/**
 * Loads the catalog to continue or verify the series (decision 0042). A catalog restored from an older copy is valid
 * but lacks releases published since; continuing it would reuse their seqs. Such releases carry the mark `published`
 * (decision 0006), which prune never removes. Rejects with `corrupt` and a remedy for such a catalog, an invalid one,
 * or a missing one where releases were published.
 */
export async function loadCatalogToContinue(store: ObjectStore, scope: ScanScope = 'newest'): Promise<LoadedCatalog> {
  const loaded = await loadCatalog(store);
  const unlisted = await findUnlisted(store, loaded.catalog, scope);
  if (unlisted.length === 0) return loaded;
  // They may have been published between the two reads.
  const again = await loadCatalog(store);
  const lost = withoutListed(unlisted, again.catalog);
  if (lost.length === 0) return again;
  throw new AppError('corrupt', again.catalog === undefined ? whyNoCatalog(store) : whyUnlisted(store, lost));
}

export function whyNoCatalog({ url }: ObjectStore): string {
  return `${url} has published releases but no catalog; rebuild it first: modelstats catalog rebuild`;
}

export function whyUnlisted({ url }: ObjectStore, lost: readonly ReleaseName[]): string {
  const were = lost.length === 1 ? 'was' : 'were';
  return (
    `${url}: ${lost.map(releaseId).join(', ')} ${were} published but missing in catalog.json, which may be an older copy. ` +
    'Continuing from it would reuse numbers of the feed; rebuild it first: modelstats catalog rebuild'
  );
}

const UNLISTED_MAX = 3;

/** Published releases that a catalog doesn't name, at most {@link UNLISTED_MAX}, oldest first. */
export async function findUnlisted(
  store: ObjectStore,
  catalog: Catalog | undefined,
  scope: ScanScope,
): Promise<readonly ReleaseName[]> {
  const newest = scope === 'newest' ? newestEntry(catalog)?.day : undefined;
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

/** The live releases, under their names before redating too. */
export function listedReleases(catalog: Catalog | undefined): ReadonlySet<string> {
  const releases = catalog?.releases ?? [];
  return new Set([...releases, ...releases.flatMap(({ redated_from }) => redated_from ?? [])].map(releaseId));
}

function withoutListed(releases: readonly ReleaseName[], catalog: Catalog | undefined): readonly ReleaseName[] {
  const listed = listedReleases(catalog);
  return releases.filter((release) => !listed.has(releaseId(release)));
}
