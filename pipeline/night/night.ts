import { type Day, dayFromDate, endOfDay, timestampFromDate } from '../../runtime/day.ts';
import { AppError, isAppError } from '../../runtime/errors.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import type { Release } from '../../schemas/release.ts';
import {
  type LoadedCatalog,
  loadCatalog,
  loadCatalogToContinue,
  loadRelease,
  newestEntry,
} from '../../storage/catalog.ts';
import type { DuckDBLimits } from '../../storage/duckdb/database.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { FetchSetup } from '../fetch/run-fetch.ts';
import { allEnded } from '../run/concurrency.ts';
import { Run, type RunDeps } from '../run/run.ts';
import { claimWorkFolder } from '../run/work-folder.ts';
import { type CaptureLimits, limitsFromSettings } from '../source/source-settings.ts';
import { capture } from './capture/capture.ts';
import { absentNotes } from './capture/missing-files.ts';
import { assertFewBadRows, check } from './check/check.ts';
import { guard, holdOfDay } from './check/guard.ts';
import { composeRelease, copyFetched } from './compose-release.ts';
import { diff } from './diff.ts';
import { closeIntervals } from './history.ts';
import {
  type NightFindings,
  type NightResult,
  nightReport,
  resultFromProblems,
  resultFromRelease,
} from './night-result.ts';
import { openDay } from './open-day.ts';
import { preview } from './preview.ts';
import { findNightVersions, loadPrevious, renewalNotes } from './previous.ts';
import { proveEvents, proveFiles } from './prove.ts';
import { publish } from './publish.ts';
import { writeSnapshot, writeState } from './snapshot.ts';

export interface NightRequest {
  readonly day: Day;
  /** See `openSource`. */
  readonly source: string;
  /** Everything but publishing. */
  readonly dryRun: boolean;
  /** Publishes despite holds. */
  readonly accept: boolean;
  /** Suspects to admit, as `pricing:<entity_id>`. */
  readonly acceptSuspects: readonly string[];
}

export const STAGES = [
  'fetch',
  'capture',
  'previous',
  'check',
  'diff',
  'history',
  'snapshot',
  'prove',
  'publish',
] as const;
export type Stage = (typeof STAGES)[number];

export interface NightDeps extends RunDeps<Stage> {
  readonly store: ObjectStore;
  readonly duckdb: DuckDBLimits;
  readonly limits: CaptureLimits;
  /** For sources that list files to fetch. */
  readonly fetching: FetchSetup;
  /** Uploads at once. */
  readonly uploadsMax: number;
  readonly toolVersion: string;
  /** {@link RECORD_VERSIONS} by default. */
  readonly versions?: readonly RecordVersion[];
}

/**
 * One night: a day's source becomes a published release, or nothing changes (specification "Stages of a night").
 * Outcomes for an operator (held, rejected, published before) are results; failures and defects reject with an
 * AppError.
 */
export async function runNight(request: NightRequest, deps: NightDeps): Promise<NightResult> {
  const startedAt = deps.clock();
  const catalog = await loadCatalogToContinue(deps.store);
  const published = await findPublished(request, catalog, deps.store);
  if (published !== undefined) return published;
  assertNext(request.day, { newest: newestEntry(catalog.catalog)?.day, today: dayFromDate(startedAt) });
  if (!request.dryRun) await claimWorkFolder(deps.workFolder, { store: deps.store, catalog: catalog.catalog });
  const run = await Run.open({ day: request.day, startedAt }, deps);
  const night: Night = { request, deps, catalog, run, found: {} };
  const ending = await runStages(night).catch((error: unknown) => ({ error: run.errorFrom(error) }));
  return run.finish(
    () => resultFromEnding(ending, night),
    ({ result }) => nightReport(night, { error: 'error' in ending ? ending.error : undefined, result }),
  );
}

interface Night {
  readonly request: NightRequest;
  readonly deps: NightDeps;
  readonly catalog: LoadedCatalog;
  readonly run: Run<Stage>;
  readonly found: NightFindings;
}

type Ending = { readonly release: Release } | { readonly problems: readonly string[] } | { readonly error: unknown };

/** In order, over the run's one database. */
async function runStages({ request, deps, catalog: loaded, run, found }: Night): Promise<Ending> {
  const { day, acceptSuspects } = request;
  const { release: folder, scratch } = run.folder;
  const { catalog } = loaded;
  const newest = newestEntry(catalog);
  const capturedAt = captureTime(day, run.startedAt);
  const { source, isDated } = await openDay({ request, run, catalog, found }, deps);
  const { settings } = source;
  const database = await run.openDatabase(deps.duckdb);
  const places = { database, store: deps.store, folder, scratch };
  const limits = limitsFromSettings(deps.limits, settings);
  const captured = await run.stage('capture', () => capture(source, { ...places, limits, duckdb: deps.duckdb }));
  run.warn([...absentNotes(source.absent), ...captured.warnings]);
  const previous = await run.stage('previous', () => loadPrevious(newest, places));
  const today = dayFromDate(run.startedAt);
  const versions = findNightVersions(deps.versions ?? RECORD_VERSIONS, { day, today, previous });
  const checked = await run.stage('check', () =>
    check({ day, captured, source, acceptSuspects, version: versions.inForce }, places),
  );
  found.checked = checked;
  assertFewBadRows(checked, settings, captured.uncaptured);
  run.warn(checked.warnings);
  const changed = await run.stage('diff', () =>
    diff({ day, capturedAt, captured, checked, previous, versions }, places),
  );
  found.changed = changed;
  const holds = [
    ...holdOfDay({ day, now: run.startedAt, newest: newest?.day, isDated }, deps.store),
    ...(await guard({ checked, changed, settings, previous: previous.release, catalog }, places)),
  ];
  found.holds = holds;
  const isHeld = holds.length > 0 && !request.accept;
  if (request.dryRun || isHeld) found.preview = await preview(checked, places);
  run.warn(renewalNotes(versions, changed));
  if (isHeld) return { problems: holds.map(({ message }) => message) };
  await run.stage('history', () => closeIntervals(previous, versions.inForce, places));
  const written = await run.stage('snapshot', () =>
    writeSnapshot({ day, versions, records: changed.records, aliases: source.aliases?.aliases }, places),
  );
  await copyFetched(source, folder);
  const proof = { changed, written, previous, versions };
  await run.stage('prove', async () => {
    await proveEvents(proof, places);
    // DuckDB is idle while the files are read back, and writes the state.
    await allEnded([proveFiles(proof, places), writeState(versions.inForce, places)]);
  });
  const [publishedAt, { toolVersion }] = [timestampFromDate(deps.clock()), deps];
  const about = { day, run: run.id, capturedAt, publishedAt, toolVersion, accepted: holds };
  const release = await composeRelease({ ...about, source, previous, captured, checked, changed, written, folder });
  if (!request.dryRun) await run.stage('publish', () => publish({ release, folder, catalog: loaded }, deps));
  return { release };
}

/** When the day's data was true: now, or the end of a past day. */
function captureTime(day: Day, now: Date): string {
  return day === dayFromDate(now) ? timestampFromDate(now) : endOfDay(day);
}

function assertNext(day: Day, { newest, today }: { newest: Day | undefined; today: Day }): void {
  if (day > today) throw new AppError('usage', `${day} is in the future; today is ${today} (UTC)`);
  if (newest !== undefined && day < newest) {
    throw new AppError(
      'usage',
      `${day} is before the newest snapshot ${newest}; publish corrections with the next night`,
    );
  }
}

async function findPublished(
  request: NightRequest,
  { catalog }: LoadedCatalog,
  store: ObjectStore,
): Promise<NightResult | undefined> {
  const entry = catalog?.releases.find(({ day }) => day === request.day);
  if (entry === undefined) return undefined;
  return resultFromRelease('already_published', await loadRelease(store, entry), { request });
}

/** Errors that an operator can act on become results; others are rethrown. */
async function resultFromEnding(ending: Ending, night: Night): Promise<NightResult> {
  const { request, deps } = night;
  if ('release' in ending) return resultFromRelease(request.dryRun ? 'dry_run' : 'published', ending.release, night);
  if ('problems' in ending) return resultFromProblems('held', ending.problems, night);
  const { error } = ending;
  if (isAppError(error, 'source_rejected')) return resultFromProblems('rejected', error.message.split('\n'), night);
  if (!isAppError(error, 'precondition_failed')) throw error;
  const published = await findPublished(request, await loadCatalog(deps.store), deps.store);
  if (published !== undefined) return published;
  throw new AppError('precondition_failed', 'the catalog changed while this night ran; run the night again', {
    cause: error,
  });
}
