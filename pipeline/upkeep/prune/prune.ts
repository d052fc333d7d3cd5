/**
 * Pruning (specification "Retention"; decision 0009): what retention no longer keeps leaves the catalog first and the store
 * afterwards, so no reader is ever promised what is gone. A prune that dies in between leaves objects that nothing refers
 * to; the next one removes them.
 *
 * Every deletion comes after a swap of the catalog, even where its list stays as it is. Whoever began with an older catalog
 * (a night that slept for days, a copy into this store) can't commit any more; so nothing deleted here can become live.
 */
import pLimit from 'p-limit';
import type { Day } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { type Retention, retainedFrom } from '../../../schemas/retention.ts';
import { type LoadedCatalog, loadCatalog, swapCatalog } from '../../../storage/catalog.ts';
import { whyNoCatalog, whyUnlisted } from '../../../storage/continue-catalog.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { retryWhenRaced } from '../../run/retry-when-raced.ts';
import { claimWorkFolder } from '../../run/work-folder-store.ts';
import { runUpkeep, type UpkeepDeps, type UpkeepEnd } from '../upkeep-run.ts';
import type { Suspicious } from './orphans.ts';
import { planPrune } from './plan.ts';
import type { Removal } from './stored-objects.ts';
import { listStoredObjects } from './stored-objects.ts';

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
  const limit = pLimit(DELETES_MAX);
  const results = await Promise.allSettled(others.map((key) => limit(() => store.delete(key))));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
