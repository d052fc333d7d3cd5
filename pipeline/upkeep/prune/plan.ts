import { dayFromDate } from '../../../runtime/day.ts';
import { type CatalogEntry, RELEASE_PARTS, type ReleasePart } from '../../../schemas/catalog.ts';
import { type ExpiredPart, findExpired, type Retention } from '../../../schemas/retention.ts';
import { partOfPath, releaseId } from '../../../storage/keys.ts';
import { findOrphans, type OrphansInput, type Suspicious } from './orphans.ts';
import { contentOf, type Removal } from './stored-objects.ts';

export interface PrunePlan {
  /** The live releases as the catalog is to list them. */
  readonly releases: readonly CatalogEntry[];
  readonly removals: readonly Removal[];
  readonly suspicious: readonly Suspicious[];
}

export interface PlanInput extends OrphansInput {
  readonly retention: Retention;
}

/**
 * What has to go, as a pure function of the catalog and the store's listing: parts that no rule of retention keeps, parts
 * that an earlier prune took out of the catalog but did not live to delete, and what nothing refers to.
 */
export function planPrune(input: PlanInput): PrunePlan {
  const releases = input.catalog?.releases ?? [];
  const expired = findExpired(releases, input.retention, dayFromDate(input.now));
  const { removals, suspicious } = findOrphans(input);
  return {
    releases: releases.map((release) => withoutExpired(release, expired)),
    removals: [
      ...expired.map(({ release, part, reason }) => partRemoval(release, part, { reason, input })),
      ...releases.flatMap((release) => leftOvers(release, input)),
      ...removals,
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
  const name = releaseId(release);
  const objects = input.stored.releases.get(name) ?? [];
  return { name, what: part, reason, ...contentOf(objects.filter(({ path }) => partOfPath(path) === part)) };
}
