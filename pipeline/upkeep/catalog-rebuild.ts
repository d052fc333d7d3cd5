/**
 * Rebuilds a lost catalog from the releases (specification "Republishing and repair"; decision 0006). Each release.json
 * names its predecessor, so live releases form a chain; lost races and killed nights leave others beside it. The mark
 * `published`, or a successor, shows which were live.
 */

import { AppError, isAppError } from '../../runtime/errors.ts';
import {
  type Catalog,
  type CatalogEntry,
  catalogEntryFromRelease,
  RELEASE_PARTS,
  type ReleasePart,
} from '../../schemas/catalog.ts';
import type { Release } from '../../schemas/release.ts';
import { findNewestBackfill, hasBackfill } from '../../storage/backfill-objects.ts';
import { findUnlisted, type LoadedCatalog, loadCatalog, parseRelease, swapCatalog } from '../../storage/catalog.ts';
import { sha256 } from '../../storage/hash.ts';
import { CATALOG_KEY, partOfPath, RELEASE_PATHS, RELEASES_PREFIX, releaseId } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { runUpkeep, type UpkeepDeps, type UpkeepEnd } from '../run/run.ts';
import { claimWorkFolder } from '../run/work-folder.ts';
import { listReleaseObjects } from './stored-objects.ts';

export interface RebuildDeps extends UpkeepDeps {
  readonly store: ObjectStore;
}

export interface Rebuilt {
  readonly catalog: Catalog;
  readonly changed: boolean;
  /** Complete but not live, as `<day>.<run>`. */
  readonly orphans: readonly string[];
}

export interface RebuildOptions {
  /** Even though the catalog is readable and complete. */
  readonly force: boolean;
  /** `<day>.<run>`, where two releases could be the newest. */
  readonly keep?: string | undefined;
}

/** Rejects with `corrupt`, naming the candidates, where they form no single chain. */
export function rebuildCatalog(options: RebuildOptions, deps: RebuildDeps): Promise<Rebuilt & UpkeepEnd> {
  const { force, keep = null } = options;
  const summarize = ({ changed, catalog, orphans }: Rebuilt) => ({
    status: changed ? 'rebuilt' : 'unchanged',
    facts: { snapshots: catalog.releases.length, orphans },
  });
  return runUpkeep({ command: 'catalog rebuild', request: { force, keep }, summarize }, deps, (run) =>
    run.stage('rebuild', () => rebuild(options, deps)),
  );
}

async function rebuild(options: RebuildOptions, { store, workFolder }: RebuildDeps): Promise<Rebuilt> {
  const current = await loadCurrent(store);
  if (current.catalog !== undefined && !options.force && (await isComplete(store, current.catalog))) {
    return { catalog: current.catalog, changed: false, orphans: [] };
  }
  const candidates = await findCandidates(store);
  if (candidates.length === 0) throw new AppError('not_found', `${store.url} holds no releases to rebuild from`);
  const chain = chainFrom(candidates, options.keep);
  const orphans = candidates.filter((candidate) => !chain.includes(candidate)).map(({ release }) => releaseId(release));
  const backfill = await findBackfill(store, current);
  const repairs = new Map(current.catalog?.releases.map((entry) => [entry.release_sha256, entry.repaired]));
  const releases = chain.map((candidate) => {
    const entry = entryFrom(candidate, candidate === chain.at(-1));
    const repaired = repairs.get(candidate.sha256);
    return repaired === undefined ? entry : { ...entry, repaired };
  });
  await claimWorkFolder(workFolder, { store, catalog: { format: 1, generation: 1, releases } });
  const catalog = await swapCatalog(store, current, { releases, backfill });
  return { catalog, changed: true, orphans };
}

/** A damaged catalog counts as none but is the version to replace. */
async function loadCurrent(store: ObjectStore): Promise<LoadedCatalog> {
  try {
    return await loadCatalog(store);
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return { catalog: undefined, etag: (await store.head(CATALOG_KEY))?.etag };
  }
}

async function isComplete(store: ObjectStore, catalog: Catalog): Promise<boolean> {
  return (await findUnlisted(store, catalog, 'all')).length === 0;
}

/** The newest marked backfill, or the listed one if it exists and none was marked later. Runs sort by time. */
async function findBackfill(store: ObjectStore, { catalog }: LoadedCatalog): Promise<Catalog['backfill']> {
  const listed = catalog?.backfill?.pricing ?? undefined;
  const newest = await findNewestBackfill(store);
  const isListedNewest = listed !== undefined && listed.run >= (newest?.run ?? '');
  if (isListedNewest && (await hasBackfill(store, listed))) return { pricing: listed };
  return newest === undefined && listed === undefined ? undefined : { pricing: newest ?? null };
}

interface Candidate {
  readonly release: Release;
  readonly sha256: string;
  readonly paths: ReadonlySet<string>;
}

async function findCandidates(store: ObjectStore): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const [id, objects] of await listReleaseObjects(store)) {
    const key = `${RELEASES_PREFIX}${id}/${RELEASE_PATHS.release}`;
    const object = await store.get(key);
    if (object === undefined) continue;
    const release = parseRelease(object.body, `${store.url}: ${key}`);
    candidates.push({ release, sha256: sha256(object.body), paths: new Set(objects.map(({ path }) => path)) });
  }
  return candidates;
}

function chainFrom(found: readonly Candidate[], keep: string | undefined): readonly Candidate[] {
  const candidates = withoutRedated(found);
  const chain: Candidate[] = [];
  for (;;) {
    const next = candidates.filter(({ release }) => release.prev?.release_sha256 === chain.at(-1)?.sha256);
    if (next.length === 0) break;
    chain.push(choose(next, candidates, keep));
  }
  const unreachable = candidates.filter((candidate) => isMarked(candidate) && !chain.includes(candidate));
  if (unreachable.length > 0) {
    const names = unreachable.map(({ release }) => releaseId(release)).join(', ');
    throw new AppError('corrupt', `a release between them is missing, so these can't be chained: ${names}`);
  }
  return chain;
}

/** One release per corrected day: the new one if it was live, as its mark or a successor shows, else the old one. */
function withoutRedated(candidates: readonly Candidate[]): readonly Candidate[] {
  const redated = candidates.filter(({ release }) => release.redated_from !== undefined);
  const isContinued = ({ sha256: hash }: Candidate) =>
    candidates.some(({ release }) => release.redated_from === undefined && release.prev?.release_sha256 === hash);
  const wereLive = redated.some((candidate) => isMarked(candidate) || isContinued(candidate));
  const replaced = new Set(redated.map(({ release }) => release.redated_from?.release_sha256));
  return candidates.filter((candidate) => (wereLive ? !replaced.has(candidate.sha256) : !redated.includes(candidate)));
}

/** The live one of several with the same predecessor. */
function choose(next: readonly Candidate[], all: readonly Candidate[], keep: string | undefined): Candidate {
  const hasSuccessor = ({ sha256: hash }: Candidate) =>
    all.some(({ release }) => release.prev?.release_sha256 === hash);
  const preferences = [isMarked, hasSuccessor, ({ release }: Candidate) => releaseId(release) === keep];
  for (const isPreferred of preferences) {
    const [preferred, ...others] = next.filter(isPreferred);
    if (preferred !== undefined && others.length === 0) return preferred;
  }
  const [only, ...rest] = next;
  if (only !== undefined && rest.length === 0) return only;
  const names = next.map(({ release }) => releaseId(release)).join(' or ');
  throw new AppError('corrupt', `${names} could have been published; name the one to keep with --keep`);
}

function isMarked({ paths }: Candidate): boolean {
  return paths.has(RELEASE_PATHS.published);
}

/**
 * A part is pruned if its first file, in byte order, is missing: prune deletes it first. Other gaps are damage. The
 * newest release is never pruned, so verify and republish see all its parts.
 */
function entryFrom({ release, sha256: hash, paths }: Candidate, isNewest: boolean): CatalogEntry {
  const isStored = (part: ReleasePart) => {
    const [first] = release.files.flatMap(({ path }) => (partOfPath(path) === part ? [path] : [])).sort();
    return first !== undefined && paths.has(first);
  };
  const entry = catalogEntryFromRelease(release, hash);
  return { ...entry, parts: RELEASE_PARTS.filter((part) => isNewest || isStored(part)) };
}
