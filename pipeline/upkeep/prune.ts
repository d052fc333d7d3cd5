/**
 * Pruning (specification "Retention"; decision 0009): what retention no longer keeps leaves the catalog first and the store
 * afterwards, so no reader is ever promised what is gone. A prune that dies in between leaves objects that nothing refers
 * to; the next one removes them.
 *
 * Every deletion comes after a swap of the catalog, even where its list stays as it is. Whoever began with an older catalog
 * (a night that slept for days, a copy into this store) can't commit any more; so nothing deleted here can become live.
 */

import { type Day, dayFromDate } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import { type CatalogEntry, RELEASE_PARTS, type ReleasePart } from '../../schemas/catalog.ts';
import { type ExpiredPart, findExpired, type Retention, retainedFrom } from '../../schemas/retention.ts';
import { type LoadedCatalog, loadCatalog, swapCatalog, whyNoCatalog, whyUnlisted } from '../../storage/catalog.ts';
import { partOfPath, releaseId } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { eachAtOnce, retryWhenRaced } from '../run/concurrency.ts';
import { runUpkeep, type UpkeepDeps, type UpkeepEnd } from '../run/run.ts';
import { claimWorkFolder } from '../run/work-folder.ts';
import {
  contentOf,
  findOrphans,
  listStoredObjects,
  type OrphansInput,
  type Removal,
  type Suspicious,
} from './stored-objects.ts';

export interface PruneDeps extends UpkeepDeps {
  readonly store: ObjectStore;
  readonly retention: Retention;
  /** Called once, before anything is removed, with the number of removals; and then as each begins. */
  readonly onPlan: (removals: number) => void;
  readonly onRemoval: (removal: Removal) => void;
}

export interface PruneRequest {
  /** Plans, and changes nothing. */
  readonly dryRun: boolean;
}

export interface PruneResult {
  readonly dry_run: boolean;
  /** What went, or in a dry run would go. */
  readonly removals: readonly Removal[];
  readonly suspicious: readonly Suspicious[];
  /** The first day in the feed after it; null where there is no feed. */
  readonly retained_from: Day | null;
}

/** Deletes at once: enough to hide a remote store's latency, few enough never to be throttled. */
const DELETES_MAX = 8;

/**
 * Removes what retention doesn't keep. Rejects with `corrupt` where the catalog lacks a published release, with
 * `precondition_failed` where the catalog never stayed the same for long enough, and as the store does; whatever was not deleted
 * then goes with the next prune.
 */
export function prune({ dryRun }: PruneRequest, deps: PruneDeps): Promise<PruneResult & UpkeepEnd> {
  const tell = ({ removals, suspicious, retained_from }: PruneResult) => ({
    status: suspicious.length === 0 ? 'ok' : 'problems',
    facts: { retained_from, removals: removals.map(({ keys, ...rest }) => ({ ...rest, objects: keys.length })) },
    issues: suspicious,
  });
  return runUpkeep({ command: 'prune', request: { dry_run: dryRun }, tell }, deps, (run) =>
    run.stage('prune', () => retryWhenRaced(() => pruneOnce(dryRun, deps))),
  );
}

async function pruneOnce(dryRun: boolean, deps: PruneDeps): Promise<PruneResult> {
  const { store, retention } = deps;
  // In this order: a release that is listed is then either in the catalog or of a night that can't have swapped yet.
  const loaded = await loadCatalog(store);
  const stored = await listStoredObjects(store);
  const plan = planPrune({ catalog: loaded.catalog, stored, retention, now: deps.clock() });
  const { releases, removals, suspicious } = plan;
  const planned = loaded.catalog === undefined ? undefined : { ...loaded.catalog, releases: [...releases] };
  const result = { dry_run: dryRun, removals, suspicious, retained_from: retainedFrom(planned) };
  if (dryRun) return result;
  await assertNoneLost(store, loaded, suspicious);
  await claimWorkFolder(deps.workFolder, { store, catalog: loaded.catalog });
  if (removals.length === 0) return result;
  await swapCatalog(store, loaded, { releases });
  deps.onPlan(removals.length);
  for (const removal of removals) {
    deps.onRemoval(removal);
    await remove(store, removal);
  }
  return result;
}

/**
 * Rejects with `corrupt` where the catalog lacks a release that was published: retention would count from the wrong day, and the
 * swap would make an older catalog the newest one. With `precondition_failed` where it is merely younger than the listing.
 */
async function assertNoneLost(
  store: ObjectStore,
  loaded: LoadedCatalog,
  suspicious: readonly Suspicious[],
): Promise<void> {
  const lost = suspicious.flatMap(({ release }) => (release === undefined ? [] : [release]));
  if (lost.length === 0) return;
  if ((await loadCatalog(store)).etag !== loaded.etag) {
    throw new AppError('precondition_failed', 'the catalog was changed while the store was listed');
  }
  throw new AppError('corrupt', loaded.catalog === undefined ? whyNoCatalog(store) : whyUnlisted(store, lost));
}

/**
 * The first key alone, from which a rebuild of the catalog tells what was pruned; then the others at once. Rejects only when
 * no delete is under way any more.
 */
async function remove(store: ObjectStore, { keys: [first, ...others] }: Removal): Promise<void> {
  if (first === undefined) return;
  await store.delete(first);
  await eachAtOnce(others, DELETES_MAX, (key) => store.delete(key));
}

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
