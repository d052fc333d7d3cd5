/**
 * Republishing (specification "Republishing and repair"): puts a snapshot's release files back as they were published, in
 * its own store or in a second one. What is there and right stays untouched; what is missing or damaged comes back byte for
 * byte or not at all. No published byte ever changes, and what the catalog doesn't list any more does not come back.
 */
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import type { Day } from '../../../schemas/day.ts';
import { AppError } from '../../../schemas/errors.ts';
import type { Release, ReleaseFile } from '../../../schemas/release.ts';
import type { RecordVersion } from '../../../schemas/versions/record-version.ts';
import { RECORD_VERSIONS } from '../../../schemas/versions/record-versions.ts';
import { getEntry, type LoadedCatalog, loadCatalog, loadRelease, markPublished } from '../../../storage/catalog.ts';
import type { Database, DuckDBLimits } from '../../../storage/duckdb/database.ts';
import { partOfPath, RELEASE_PATHS, releaseId, releaseKey } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { retryWhenRaced } from '../../run/retry-when-raced.ts';
import { claimWorkFolder } from '../../run/work-folder-store.ts';
import { runUpkeep, type UpkeepDeps, type UpkeepEnd } from '../upkeep-run.ts';
import { listRelease } from './list-release.ts';
import { type FileReport, restoreFile } from './restore-file.ts';

export interface RepublishDeps extends UpkeepDeps {
  /** Whose catalog names the snapshot. */
  readonly origin: ObjectStore;
  /** A second store that is to have it; undefined repairs the origin. */
  readonly second: ObjectStore | undefined;
  readonly duckdb: DuckDBLimits;
  /** The versions of the records; {@link RECORD_VERSIONS} unless given. */
  readonly versions?: readonly RecordVersion[];
  /** Called as each file begins. */
  readonly onFile: (path: string) => void;
}

export interface RepublishResult {
  /** True where every file is now as published. */
  readonly ok: boolean;
  readonly snapshot: Day;
  /** `<day>.<run>`. */
  readonly release: string;
  /** The store that now has it. */
  readonly store: string;
  readonly files: readonly FileReport[];
  /** True where that store's catalog lists the release. */
  readonly listed: boolean;
  /** Why not; null where it does. */
  readonly not_listed_because: string | null;
}

/**
 * Checks every file of a release and puts back what is not as published. Rejects with `not_found` where the catalog has no
 * such snapshot, with `corrupt` where its release.json is gone or damaged, with `usage` where the second store has another
 * release of that day. Files that can't be had are reported as refused, not thrown.
 */
export function republish(snapshot: Day, deps: RepublishDeps): Promise<RepublishResult & UpkeepEnd> {
  const request = { snapshot, store: deps.second?.url ?? deps.origin.url };
  const tell = ({ ok, release, files, listed, not_listed_because }: RepublishResult) => ({
    status: ok && listed ? 'ok' : 'problems',
    facts: { release, files, listed, not_listed_because },
  });
  return runUpkeep({ command: 'republish', request, tell }, deps, async (run) => {
    const { catalog } = await loadCatalog(deps.origin);
    const entry = getEntry(catalog, snapshot);
    await claimWorkFolder(deps.workFolder, { store: deps.origin, catalog });
    const release = await loadRelease(deps.origin, entry);
    const database = await run.openDatabase(deps.duckdb);
    const work: Work = { entry, release, scratch: run.folder.scratch, database, deps, restored: new Map() };
    return run.stage('files', () => retryWhenRaced(() => republishOnce(work)));
  });
}

interface Work {
  readonly entry: CatalogEntry;
  readonly release: Release;
  readonly scratch: string;
  readonly database: Database;
  readonly deps: RepublishDeps;
  /** What earlier attempts of this run put back, by path. */
  readonly restored: Map<string, FileReport>;
}

async function republishOnce(work: Work): Promise<RepublishResult> {
  const { entry, release, deps } = work;
  const target = deps.second ?? deps.origin;
  // Before any file is looked at: a prune that could take some of them away swaps this catalog first.
  const loaded = await loadCatalog(target);
  const known = findSame(entry, loaded, target);
  const files: FileReport[] = [];
  for (const file of await filesOf(work, known ?? entry)) files.push(await restoreOne(file, work));
  const ok = files.every(({ status }) => status !== 'refused');
  const reason = known === undefined ? await listCopy(work, { target, loaded, ok }) : undefined;
  if (reason === undefined) await markPublished(target, release);
  return {
    ok,
    snapshot: entry.day,
    release: releaseId(entry),
    store: target.url,
    files,
    listed: reason === undefined,
    not_listed_because: reason ?? null,
  };
}

/** The release in the target's catalog; undefined where it isn't listed there. */
function findSame(entry: CatalogEntry, { catalog }: LoadedCatalog, target: ObjectStore): CatalogEntry | undefined {
  const listed = catalog?.releases.find(({ day }) => day === entry.day);
  if (listed === undefined || listed.release_sha256 === entry.release_sha256) return listed;
  throw new AppError('usage', `${target.url} has another release of ${entry.day}: ${releaseId(listed)}`);
}

/** The files that a release has to have while the catalog lists these parts; release.json last, as it was published. */
async function filesOf({ release, deps, entry }: Work, { parts }: CatalogEntry): Promise<readonly ReleaseFile[]> {
  const recorded = release.files.filter(({ path }) => {
    const part = partOfPath(path);
    return part === undefined || parts.includes(part);
  });
  if (deps.second === undefined) return recorded;
  const head = await deps.origin.head(releaseKey(entry, RELEASE_PATHS.release));
  if (head === undefined) throw new AppError('not_found', `${deps.origin.url}: release.json of ${entry.day} is gone`);
  return [...recorded, { path: RELEASE_PATHS.release, bytes: head.bytes, sha256: entry.release_sha256 }];
}

async function restoreOne(file: ReleaseFile, { deps, restored, ...work }: Work): Promise<FileReport> {
  deps.onFile(file.path);
  const target = deps.second ?? deps.origin;
  const { versions = RECORD_VERSIONS } = deps;
  const report = await restoreFile(file, { ...work, target, origin: deps.second && deps.origin, versions });
  if (report.status === 'ok') return restored.get(file.path) ?? report;
  restored.set(file.path, report);
  return report;
}

interface CopyState {
  readonly target: ObjectStore;
  readonly loaded: LoadedCatalog;
  readonly ok: boolean;
}

/** Resolves to why the copy isn't listed, or to undefined where it is. */
async function listCopy({ entry, release }: Work, { target, loaded, ok }: CopyState): Promise<string | undefined> {
  if (!ok) return 'it is not complete';
  return listRelease(target, { entry, prevSha256: release.prev?.release_sha256, loaded });
}
