/**
 * Pruning (specification "Retention"; decision 0009): expired parts leave the catalog before the store, so no reader is
 * promised a deleted file. The next prune removes what a killed one leaves.
 *
 * Deletions always follow a swap of the catalog, even of an unchanged list: a process with an older catalog (a
 * suspended night, a copy into this store) can't commit any more and make a deleted object live.
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
  /** Called once, before the first removal. */
  readonly onPlan: (removals: number) => void;
  readonly onRemoval: (removal: Removal) => void;
}

export interface PruneRequest {
  readonly dryRun: boolean;
}

export interface PruneResult {
  readonly dry_run: boolean;
  /** Removed, or in a dry run to be removed. */
  readonly removals: readonly Removal[];
  readonly suspicious: readonly Suspicious[];
  /** Null without a feed. */
  readonly retained_from: Day | null;
}

/** Hides a remote store's latency without being throttled. */
const DELETES_MAX = 8;

/**
 * Rejects with `corrupt` where the catalog lacks a published release, with `precondition_failed` where it kept
 * changing, and as the store does.
 */
export function prune({ dryRun }: PruneRequest, deps: PruneDeps): Promise<PruneResult & UpkeepEnd> {
  const summarize = ({ removals, suspicious, retained_from }: PruneResult) => ({
    status: suspicious.length === 0 ? 'ok' : 'problems',
    facts: { retained_from, removals: removals.map(({ keys, ...rest }) => ({ ...rest, objects: keys.length })) },
    issues: suspicious,
  });
  return runUpkeep({ command: 'prune', request: { dry_run: dryRun }, summarize }, deps, (run) =>
    run.stage('prune', () => retryWhenRaced(() => pruneOnce(dryRun, deps))),
  );
}

async function pruneOnce(dryRun: boolean, deps: PruneDeps): Promise<PruneResult> {
  const { store, retention } = deps;
  // In this order, a listed release is in the catalog or of a night that can't have swapped yet.
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
 * Rejects with `corrupt` where the catalog lacks a published release: retention would count from the wrong day, and the
 * swap would make an old catalog the newest. With `precondition_failed` where the catalog is merely newer than the
 * listing.
 */
async function assertNoneLost(
  store: ObjectStore,
  loaded: LoadedCatalog,
  suspicious: readonly Suspicious[],
): Promise<void> {
  const lost = suspicious.flatMap(({ release }) => (release === undefined ? [] : [release]));
  if (lost.length === 0) return;
  if ((await loadCatalog(store)).etag !== loaded.etag) {
    throw new AppError('precondition_failed', 'the catalog changed while the store was listed');
  }
  throw new AppError('corrupt', loaded.catalog === undefined ? whyNoCatalog(store) : whyUnlisted(store, lost));
}

/** The first key marks the part as pruned for a catalog rebuild. Rejects after all deletes have ended. */
async function remove(store: ObjectStore, { keys: [first, ...others] }: Removal): Promise<void> {
  if (first === undefined) return;
  await store.delete(first);
  await eachAtOnce(others, DELETES_MAX, (key) => store.delete(key));
}

export interface PrunePlan {
  /** For the new catalog. */
  readonly releases: readonly CatalogEntry[];
  readonly removals: readonly Removal[];
  readonly suspicious: readonly Suspicious[];
}

export interface PlanInput extends OrphansInput {
  readonly retention: Retention;
}

/** Pure: expired parts, unlisted parts that an earlier prune left, and unreferenced objects. */
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
