import { type Day, dayFromDate, endOfDay, timestampFromDate } from '../schemas/day.ts';
import { AppError, isAppError, messageFromError } from '../schemas/errors.ts';
import type { RecordVersion } from '../schemas/record-version.ts';
import type { Hold } from '../schemas/release.ts';
import { RECORD_VERSIONS } from '../schemas/versions.ts';
import {
  type LoadedCatalog,
  loadCatalog,
  loadCatalogToContinue,
  loadRelease,
  newestEntry,
} from '../storage/catalog.ts';
import { Database, type DuckDBSettings } from '../storage/duckdb.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { capture } from './capture/capture.ts';
import type { ScanLimits } from './capture/scan-file.ts';
import { check, TooManyBadRows } from './check/check.ts';
import { composeRelease } from './compose-release.ts';
import { diff } from './diff.ts';
import { guard } from './guard.ts';
import { closeIntervals } from './history.ts';
import { type NightResult, type RunOutline, resultFromProblems, resultFromRelease } from './night-result.ts';
import { findNightVersions, renewalNotes } from './night-versions.ts';
import { loadPrevious } from './previous.ts';
import { prove } from './prove.ts';
import { publish } from './publish.ts';
import { type Findings, type ReportInput, writeReport } from './report.ts';
import { openRunFolder, type RunFolder, workErrorFrom } from './run-folder.ts';
import { writeSnapshot } from './snapshot.ts';
import { findSourceDay } from './source.ts';

export interface NightRequest {
  readonly day: Day;
  /** Folder of the source; see `findSourceDay`. */
  readonly source: string;
  /** Everything but publishing. */
  readonly dryRun: boolean;
  /** Passes what holds the night. */
  readonly accept: boolean;
  /** Suspects to let in, as `pricing:<entity_id>`. */
  readonly acceptSuspects: readonly string[];
}

export interface NightDeps {
  readonly store: ObjectStore;
  readonly clock: () => Date;
  /** A new unique run id of letters and digits. */
  readonly newRunId: () => string;
  readonly workFolder: string;
  readonly duckdb: Omit<DuckDBSettings, 'tempFolder'>;
  readonly limits: ScanLimits;
  /** Uploads at once. */
  readonly uploadsMax: number;
  readonly toolVersion: string;
  /** The versions of the records; {@link RECORD_VERSIONS} unless given. */
  readonly versions?: readonly RecordVersion[];
  readonly onStage: (stage: Stage) => void;
}

export const STAGES = ['capture', 'previous', 'check', 'diff', 'history', 'snapshot', 'prove', 'publish'] as const;
export type Stage = (typeof STAGES)[number];

/**
 * One night: a day's source becomes a published release, or nothing changes (DESIGN §5). What an operator acts on (held,
 * rejected, published before) is a result; what is nobody's input (store, disk, defects) rejects with an AppError.
 */
export async function runNight(request: NightRequest, deps: NightDeps): Promise<NightResult> {
  const startedAt = deps.clock();
  const catalog = await loadCatalogToContinue(deps.store);
  const published = await findPublished(request, catalog, deps);
  if (published !== undefined) return published;
  assertNext(request.day, { newest: newestEntry(catalog.catalog)?.day, today: dayFromDate(startedAt) });

  const run = deps.newRunId();
  const folder = await openRunFolder(deps.workFolder, { day: request.day, run });
  const findings: Findings = { stages: [], warnings: [], status: 'failed' };
  try {
    const result = await runStages({ request, deps, catalog, run, folder, startedAt, findings }).catch((error) => {
      findings.error = workErrorFrom(error, deps.workFolder);
      return resultFromError(findings.error, request, { catalog, deps, findings, folder });
    });
    findings.status = result.status;
    return result;
  } finally {
    await closeRun(folder, { request, run, startedAt, finishedAt: deps.clock(), findings });
  }
}

/** Frees the disk, then reports. A report that can't be written changes nothing about what was published. */
async function closeRun(folder: RunFolder, report: ReportInput): Promise<void> {
  try {
    await folder.removeTemporary();
    await writeReport(folder.path, report);
  } catch (error) {
    report.findings.warnings.push(`the run's report can't be written: ${messageFromError(error)}`);
  }
}

interface NightRun {
  readonly request: NightRequest;
  readonly deps: NightDeps;
  readonly catalog: LoadedCatalog;
  readonly run: string;
  readonly folder: RunFolder;
  readonly startedAt: Date;
  readonly findings: Findings;
}

/** The stages of DESIGN §5, in order, over one DuckDB database that lives as long as the run. */
async function runStages(night: NightRun): Promise<NightResult> {
  const { request, deps, catalog, run, folder, findings } = night;
  const { day } = request;
  const capturedAt = captureTime(day, night.startedAt);
  const source = await findSourceDay(request.source, day);
  const database = await Database.open(':memory:', { ...deps.duckdb, tempFolder: folder.scratch });
  const stage = stageTimer(night);
  const places = { database, store: deps.store, folder: folder.release, scratch: folder.scratch };
  try {
    const captured = await stage('capture', () => capture(source, { ...places, limits: deps.limits }));
    findings.warnings.push(...captured.warnings);
    const previous = await stage('previous', () => loadPrevious(newestEntry(catalog.catalog), places));
    const versions = findNightVersions(deps.versions ?? RECORD_VERSIONS, { day, previous });
    const checked = await stage('check', () =>
      check(database, { day, capture: captured, settings: source.settings, acceptSuspects: request.acceptSuspects }),
    );
    findings.check = checked;
    findings.warnings.push(...checked.warnings);
    const changed = await stage('diff', () =>
      diff(database, { day, capturedAt, captured, checked, previous, versions }),
    );
    findings.diff = changed;
    findings.warnings.push(...renewalNotes(versions, changed));
    const holds = guard(checked, changed, source.settings);
    findings.holds = holds;
    if (holds.length > 0 && !request.accept) return heldResult(holds, outlineOf(night));
    await stage('history', () => closeIntervals(database, previous));
    const written = await stage('snapshot', () => writeSnapshot({ day, versions }, places));
    await stage('prove', () => prove({ changed, written, previous, versions }, places));
    const release = await composeRelease({
      ...{ day, run, capturedAt, publishedAt: timestampFromDate(deps.clock()), toolVersion: deps.toolVersion },
      ...{ previous, captured, checked, changed, accepted: holds, written, folder: folder.release },
    });
    if (!request.dryRun) {
      await stage('publish', () => publish({ release, folder: folder.release, catalog }, deps));
    }
    return resultFromRelease('published', release, outlineOf(night));
  } finally {
    database.close();
  }
}

function stageTimer({ deps, findings }: NightRun) {
  return async <T>(stage: Stage, work: () => Promise<T>): Promise<T> => {
    deps.onStage(stage);
    const started = performance.now();
    try {
      return await work();
    } finally {
      findings.stages.push({ stage, ms: Math.round(performance.now() - started) });
    }
  };
}

/** When the day's data was true: now for today, the end of the day for a day that is over. */
function captureTime(day: Day, now: Date): string {
  return day === dayFromDate(now) ? timestampFromDate(now) : endOfDay(day);
}

function assertNext(day: Day, { newest, today }: { newest: Day | undefined; today: Day }): void {
  if (day > today) throw new AppError('usage', `${day} is in the future; today is ${today} (UTC)`);
  if (newest !== undefined && day < newest) {
    throw new AppError('usage', `${day} is before the newest snapshot ${newest}; corrections come in the next night`);
  }
}

async function findPublished(
  { day, dryRun }: NightRequest,
  { catalog }: LoadedCatalog,
  { store }: NightDeps,
): Promise<NightResult | undefined> {
  const entry = catalog?.releases.find((release) => release.day === day);
  if (entry === undefined) return undefined;
  const findings: Findings = { stages: [], warnings: [], status: 'already_published' };
  return resultFromRelease('already_published', await loadRelease(store, entry), {
    day,
    dryRun,
    findings,
    report: null,
  });
}

function outlineOf({ request, findings, folder }: Pick<NightRun, 'request' | 'findings' | 'folder'>): RunOutline {
  return { day: request.day, dryRun: request.dryRun, findings, report: folder.path };
}

function heldResult(holds: readonly Hold[], outline: RunOutline): NightResult {
  return resultFromProblems(
    'held',
    holds.map((hold) => hold.message),
    outline,
  );
}

/** Turns what an operator can act on into a result; rethrows everything else. */
async function resultFromError(
  error: unknown,
  request: NightRequest,
  night: Pick<NightRun, 'catalog' | 'deps' | 'findings' | 'folder'>,
): Promise<NightResult> {
  if (error instanceof TooManyBadRows) night.findings.check = error.checked;
  if (isAppError(error, 'source_rejected')) {
    return resultFromProblems('rejected', error.message.split('\n'), outlineOf({ request, ...night }));
  }
  if (!isAppError(error, 'precondition_failed')) throw error;
  const published = await findPublished(request, await loadCatalog(night.deps.store), night.deps);
  if (published !== undefined) return published;
  throw new AppError('precondition_failed', 'the catalog was changed while this night ran; run it again', {
    cause: error,
  });
}
