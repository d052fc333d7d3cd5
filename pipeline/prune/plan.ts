import { type Catalog, type CatalogEntry, RELEASE_PARTS, type ReleasePart } from '../../schemas/catalog.ts';
import { timestampFromDate } from '../../schemas/day.ts';
import { type ExpiredPart, findExpired, type Retention } from '../../schemas/retention.ts';
import { partOfPath, RELEASE_PATHS, releaseId } from '../../storage/keys.ts';
import type { ReleaseObject, StoredRelease } from './stored-releases.ts';

/**
 * How long a release that the catalog doesn't name is left alone after its last write. No night takes a day, so a shorter
 * time could take files from a running one (which would then fail, never publish); a longer one only costs storage.
 */
export const ORPHAN_AGE_MS = 24 * 60 * 60 * 1000;

/** Objects that go together, and why. */
export interface Removal {
  /** `<day>.<run>`. */
  readonly release: string;
  readonly what: ReleasePart | 'orphan';
  readonly reason: string;
  /** In the order in which they are to be deleted. */
  readonly keys: readonly string[];
  readonly bytes: number;
}

/** A release that stays although nothing refers to it. */
export interface Suspicious {
  /** `<day>.<run>`. */
  readonly release: string;
  readonly reason: string;
}

export interface PrunePlan {
  /** The live releases as the catalog is to list them. */
  readonly releases: readonly CatalogEntry[];
  readonly removals: readonly Removal[];
  readonly suspicious: readonly Suspicious[];
}

export interface PlanInput {
  readonly catalog: Catalog | undefined;
  readonly stored: ReadonlyMap<string, StoredRelease>;
  readonly retention: Retention;
  readonly now: Date;
}

/**
 * What has to go, as a pure function of the catalog and the store's listing: parts that no rule of retention keeps, parts
 * that an earlier prune took out of the catalog but did not live to delete, and releases of nights that never published.
 *
 * A release that carries the mark `published` without being in the catalog tells of a lost or replaced catalog. It is
 * reported, and as long as there is one no orphan goes: which of them were live can't be known then. Nor does anything go
 * from a store without a catalog, where every release looks like an orphan.
 */
export function planPrune(input: PlanInput): PrunePlan {
  const releases = input.catalog?.releases ?? [];
  const expired = findExpired(releases, input.retention);
  const strays = findStrays(input);
  const suspicious = strays.filter(isMarked).map(suspiciousFrom);
  const orphans =
    input.catalog === undefined || suspicious.length > 0 ? [] : strays.filter((stray) => isOld(stray, input));
  return {
    releases: releases.map((release) => withoutExpired(release, expired)),
    removals: [
      ...expired.map(({ release, part, reason }) => partRemoval(release, part, { reason, input })),
      ...releases.flatMap((release) => leftOvers(release, input)),
      ...orphans.map(orphanRemoval),
    ],
    suspicious,
  };
}

function withoutExpired(release: CatalogEntry, expired: readonly ExpiredPart[]): CatalogEntry {
  const gone = expired.filter((candidate) => candidate.release === release).map(({ part }) => part);
  return gone.length === 0 ? release : { ...release, parts: release.parts.filter((part) => !gone.includes(part)) };
}

/** Parts that the catalog no longer lists, of which objects are still there. */
function leftOvers(release: CatalogEntry, input: PlanInput): readonly Removal[] {
  const reason = 'left over: the catalog no longer lists it';
  return RELEASE_PARTS.filter((part) => !release.parts.includes(part))
    .map((part) => partRemoval(release, part, { reason, input }))
    .filter(({ keys }) => keys.length > 0);
}

function partRemoval(
  release: CatalogEntry,
  part: ReleasePart,
  { reason, input }: { readonly reason: string; readonly input: PlanInput },
): Removal {
  const stored = input.stored.get(releaseId(release))?.objects ?? [];
  const objects = stored.filter(({ path }) => partOfPath(path) === part);
  return { release: releaseId(release), what: part, reason, ...contentOf(objects) };
}

/** Releases that the catalog doesn't name. */
function findStrays({ catalog, stored }: PlanInput): readonly StoredRelease[] {
  const live = new Set(catalog?.releases.map(releaseId));
  return [...stored].filter(([id]) => !live.has(id)).map(([, release]) => release);
}

function isMarked({ objects }: StoredRelease): boolean {
  return objects.some(({ path }) => path === RELEASE_PATHS.published);
}

function isOld(release: StoredRelease, { now }: PlanInput): boolean {
  return lastWriteMs(release) < now.getTime() - ORPHAN_AGE_MS;
}

function lastWriteMs({ objects }: StoredRelease): number {
  return Math.max(...objects.map(({ modifiedAt }) => modifiedAt.getTime()));
}

function suspiciousFrom({ name }: StoredRelease): Suspicious {
  const reason = 'it was published once, but the catalog does not name it: is this the right catalog?';
  return { release: releaseId(name), reason };
}

/** release.json goes first: an orphan that is deleted half-way must not look like a complete release. */
function orphanRemoval(release: StoredRelease): Removal {
  const isFirst = ({ path }: ReleaseObject) => path === RELEASE_PATHS.release;
  const objects = [...release.objects.filter(isFirst), ...release.objects.filter((object) => !isFirst(object))];
  const reason = `never published, last written ${timestampFromDate(new Date(lastWriteMs(release)))}`;
  return { release: releaseId(release.name), what: 'orphan', reason, ...contentOf(objects) };
}

function contentOf(objects: readonly ReleaseObject[]): Pick<Removal, 'keys' | 'bytes'> {
  return { keys: objects.map(({ key }) => key), bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0) };
}
