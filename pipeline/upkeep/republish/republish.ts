/**
 * Republishing (specification "Republishing and repair"): restores a snapshot's files in its own store or a second one,
 * byte for byte. A Parquet file that no other store has may be rebuilt with the same rows, proven, and a correction in
 * the catalog (decision 0044). Bytes for consumers never change; unlisted parts aren't restored.
 */

import { type Day, timestampFromDate } from '../../../runtime/day.ts';
import { isAppError } from '../../../runtime/errors.ts';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../../../schemas/record-versions.ts';
import { type Release, type ReleaseFile, withRepairs } from '../../../schemas/release.ts';
import { getEntry, type LoadedCatalog, loadCatalog, swapCatalog } from '../../../storage/catalog.ts';
import type { Database, DuckDBLimits } from '../../../storage/duckdb/database.ts';
import { RELEASE_PATHS, releaseId } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { retryWhenRaced } from '../../run/concurrency.ts';
import { runUpkeep, type UpkeepDeps, type UpkeepEnd } from '../../run/run.ts';
import { claimWorkFolder } from '../../run/work-folder.ts';
import { isListed } from '../stored-objects.ts';
import { Materials } from './materials.ts';
import { assertGives, assertTakes, type FoundRelease, findRelease, listRelease } from './other-stores.ts';
import { type FileReport, restoreFile } from './restore-file.ts';
import { rankOfPath } from './strategies.ts';

export interface RepublishDeps extends UpkeepDeps {
  readonly origin: ObjectStore;
  /** Undefined repairs the origin. */
  readonly second: ObjectStore | undefined;
  /** Same series; only without `second`. */
  readonly from?: ObjectStore | undefined;
  readonly duckdb: DuckDBLimits;
  /** {@link RECORD_VERSIONS} by default. */
  readonly versions?: readonly RecordVersion[];
  readonly onFile: (path: string) => void;
}

export interface RepublishResult {
  /** Every file is now as published. */
  readonly ok: boolean;
  readonly snapshot: Day;
  /** `<day>.<run>`. */
  readonly release: string;
  readonly store: string;
  readonly files: readonly FileReport[];
  /** In that store's catalog. */
  readonly listed: boolean;
  readonly not_listed_because: string | null;
}

/**
 * Rejects with `not_found` where the catalog has no such snapshot, with `corrupt` where its release.json is missing or
 * damaged, with `usage` where another store has other releases. Unavailable files are reported as refused.
 */
export function republish(snapshot: Day, deps: RepublishDeps): Promise<RepublishResult & UpkeepEnd> {
  const request = { snapshot, store: deps.second?.url ?? deps.origin.url };
  const summarize = ({ ok, release, files, listed, not_listed_because }: RepublishResult) => ({
    status: ok && listed ? 'ok' : 'problems',
    facts: { release, files, listed, not_listed_because },
  });
  return runUpkeep({ command: 'republish', request, summarize }, deps, async (run) => {
    const { catalog } = await loadCatalog(deps.origin);
    const entry = getEntry(catalog, snapshot);
    await claimWorkFolder(deps.workFolder, { store: deps.origin, catalog });
    const releases = catalog?.releases ?? [];
    if (deps.from !== undefined) await assertGives(deps.from, entry, { origin: deps.origin, releases });
    const readers = deps.from === undefined ? [deps.origin] : [deps.origin, deps.from];
    const found = await findRelease(entry, readers);
    const previous = await findPrevious(found.release, releases, readers);
    const database = await run.openDatabase(deps.duckdb);
    const { scratch } = run.folder;
    const work: Work = { entry, releases, found, previous, scratch, database, deps, restored: new Map() };
    return run.stage('files', () => retryWhenRaced(() => republishOnce(work)));
  });
}

/** With repairs; undefined for the first night. */
interface Previous {
  readonly release: Release | undefined;
}

/** Undefined where its release.json is lost. */
async function findPrevious(
  { prev }: Release,
  entries: readonly CatalogEntry[],
  stores: readonly ObjectStore[],
): Promise<Previous | undefined> {
  if (prev === null) return { release: undefined };
  try {
    const { release } = await findRelease(prev, stores);
    const entry = entries.find(({ release_sha256 }) => release_sha256 === prev.release_sha256);
    return { release: withRepairs(release, entry?.repaired) };
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return undefined;
  }
}

interface Work {
  readonly entry: CatalogEntry;
  readonly releases: readonly CatalogEntry[];
  readonly found: FoundRelease;
  readonly previous: Previous | undefined;
  readonly scratch: string;
  readonly database: Database;
  readonly deps: RepublishDeps;
  /** By earlier attempts of this run, by path. */
  readonly restored: Map<string, FileReport>;
}

async function republishOnce(work: Work): Promise<RepublishResult> {
  const { entry, releases, deps } = work;
  const target = deps.second ?? deps.origin;
  // First: a prune that might remove files swaps this catalog before.
  const loaded = await loadCatalog(target);
  if (deps.second !== undefined) assertTakes(deps.second, loaded.catalog, { origin: deps.origin, releases });
  const known = loaded.catalog?.releases.find(({ release_sha256 }) => release_sha256 === entry.release_sha256);
  const { files, corrected } = await restoreAll(work, { target, known });
  const ok = files.every(({ status }) => status !== 'refused');
  if (known !== undefined && corrected.length > 0) await recordRepairs(known, corrected, { target, loaded, work });
  const prevSha256 = work.found.release.prev?.release_sha256;
  const list = () => (ok ? listRelease(target, { entry, prevSha256, loaded }) : 'it is not complete');
  const reason = known === undefined ? await list() : undefined;
  const mark = reason === undefined ? [await restoreMark(work, target)] : [];
  return {
    ok,
    snapshot: entry.day,
    release: releaseId(entry),
    store: target.url,
    files: [...files, ...mark],
    listed: reason === undefined,
    not_listed_because: reason ?? null,
  };
}

interface Target {
  readonly target: ObjectStore;
  /** Undefined where the target doesn't list it. */
  readonly known: CatalogEntry | undefined;
}

/** Ordered so that rebuilds find their inputs. */
async function restoreAll(work: Work, { target, known }: Target) {
  const { entry, found, previous, deps, database, scratch } = work;
  const { versions = RECORD_VERSIONS } = deps;
  const listed = known ?? entry;
  const others = deps.second === undefined ? [deps.from] : [deps.origin];
  const sources = others.filter((store) => store !== undefined);
  let release = withRepairs(found.release, listed.repaired);
  const recorded = release.files.filter(({ path }) => isListed(listed, path));
  const itself = { path: RELEASE_PATHS.release, bytes: found.body.length, sha256: entry.release_sha256 };
  const files: FileReport[] = [];
  const corrected: ReleaseFile[] = [];
  for (const file of [itself, ...recorded].sort((a, b) => rankOfPath(a.path) - rankOfPath(b.path))) {
    const rebuild = { release, database, scratch };
    const stores = [target, ...sources];
    const materials = previous && new Materials({ ...rebuild, stores, previous: previous.release, versions });
    deps.onFile(file.path);
    const mayCorrect = known !== undefined;
    const done = await restoreFile(file, { target, sources, found, materials, versions, rebuild, mayCorrect });
    if (done.corrected !== undefined) {
      corrected.push(done.corrected);
      release = withRepairs(release, [done.corrected]);
    }
    files.push(reportOf(done.report, work.restored));
  }
  return { files, corrected };
}

/** Written once the target lists the release (decision 0006). */
async function restoreMark({ entry, found, scratch, database, deps, restored }: Work, target: ObjectStore) {
  const mark = { path: RELEASE_PATHS.published, bytes: found.body.length, sha256: entry.release_sha256 };
  const rebuild = { release: found.release, database, scratch };
  const { versions = RECORD_VERSIONS } = deps;
  const none = { sources: [], materials: undefined, mayCorrect: false };
  const { report } = await restoreFile(mark, { ...none, target, found, versions, rebuild });
  return reportOf(report, restored);
}

/** A file restored by an earlier attempt is now found correct. */
function reportOf(report: FileReport, restored: Map<string, FileReport>): FileReport {
  if (report.status === 'ok') return restored.get(report.path) ?? report;
  restored.set(report.path, report);
  return report;
}

/** Rejects with `precondition_failed` where the catalog was swapped meanwhile. */
async function recordRepairs(
  known: CatalogEntry,
  corrected: readonly ReleaseFile[],
  { target, loaded, work }: { readonly target: ObjectStore; readonly loaded: LoadedCatalog; readonly work: Work },
): Promise<void> {
  const repaired_at = timestampFromDate(work.deps.clock());
  const others = (known.repaired ?? []).filter(({ path }) => !corrected.some((file) => file.path === path));
  const repaired = [...others, ...corrected.map((file) => ({ ...file, repaired_at }))];
  const releases = (loaded.catalog?.releases ?? []).map((each) => (each === known ? { ...each, repaired } : each));
  await swapCatalog(target, loaded, { releases });
}
