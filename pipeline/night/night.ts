import { type Day, dayFromDate, endOfDay, timestampFromDate } from '../../runtime/day.ts';
import { AppError, isAppError } from '../../runtime/errors.ts';
import type { Release } from '../../schemas/release.ts';
import type { RecordVersion } from '../../schemas/versions/record-version.ts';
import { RECORD_VERSIONS } from '../../schemas/versions/record-versions.ts';
import { type LoadedCatalog, loadCatalog, loadRelease, newestEntry } from '../../storage/catalog.ts';
import { loadCatalogToContinue } from '../../storage/continue-catalog.ts';
import type { DuckDBLimits } from '../../storage/duckdb/database.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { assertComplete, type FetchedDay } from '../fetch/fetch-source.ts';
import type { FetchSetup } from '../fetch/run-fetch.ts';
import { allEnded } from '../run/all-ended.ts';
import { Run, type RunDeps } from '../run/run.ts';
import { claimWorkFolder } from '../run/work-folder-store.ts';
import { capture } from './capture/capture.ts';
import { assertFewBadRows, check } from './check/check.ts';
import { composeRelease } from './compose-release.ts';
import { diff } from './diff.ts';
import { holdOfDay } from './guard/far-ahead.ts';
import { guard } from './guard/guard.ts';
import { closeIntervals } from './history.ts';
import { type NightFindings, nightReport } from './night-report.ts';
import { type NightResult, resultFromProblems, resultFromRelease } from './night-result.ts';
import { findNightVersions, renewalNotes } from './night-versions.ts';
import { preview } from './preview.ts';
import { loadPrevious } from './previous.ts';
import { proveEvents, proveFiles } from './prove.ts';
import { publish } from './publish.ts';
import { absentNotes, copyFetched, failedUpstreams } from './release-fetched.ts';
import { writeSnapshot, writeState } from './snapshot.ts';
import { type DayPlace, fetchForNight, placeOfDay } from './source/fetched-source.ts';
import { findSourceDay } from './source/source-day.ts';
import { type CaptureLimits, limitsFromSettings } from './source/source-limits.ts';
import { StoredFetch } from './source/stored-fetch.ts';

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
  /** For sources that list what to fetch. */
  readonly fetching: FetchSetup;
  /** Uploads at once. */
  readonly uploadsMax: number;
  readonly toolVersion: string;
  /** The versions of the records; {@link RECORD_VERSIONS} unless given. */
  readonly versions?: readonly RecordVersion[];
}

/**
 * One night: a day's source becomes a published release, or nothing changes (specification "Stages of a night"). What an
 * operator acts on (held, rejected, published before) is a result; what is nobody's input (store, disk, defects) rejects
 * with an AppError.
 */
export async function runNight(request: NightRequest, deps: NightDeps): Promise<NightResult> {
  const startedAt = deps.clock();
  const catalog = await loadCatalogToContinue(deps.store);
  const published = await findPublished(request, catalog, deps.store);
  if (published !== undefined) return published;
  assertNext(request.day, { newest: newestEntry(catalog.catalog)?.day, today: dayFromDate(startedAt) });
  if (!request.dryRun) await claimWorkFolder(deps.workFolder, { store: deps.store, catalog: catalog.catalog });
  const run = await Run.open({ day: request.day, startedAt }, deps);
  const ending = await runStages({ request, deps, catalog, run });
  return run.finish(
    () => resultFromEnding(ending, { request, run, store: deps.store }),
    ({ result }) => {
      const { found, error } = ending;
      return nightReport({ request, status: result?.status ?? 'failed', found, error, result });
    },
  );
}

/** How the stages of a night ended, and what they had found out by then. */
type Ending = { readonly found: NightFindings } & (
  | { readonly release: Release; readonly problems?: undefined; readonly error?: undefined }
  | { readonly release?: undefined; readonly problems: readonly string[]; readonly error?: undefined }
  | { readonly release?: undefined; readonly problems?: undefined; readonly error: unknown }
);

interface StagesInput {
  readonly request: NightRequest;
  readonly deps: NightDeps;
  /** The catalog that the night continues. */
  readonly catalog: LoadedCatalog;
  readonly run: Run<Stage>;
}

/**
 * The stages of a night in order, over the run's one database. Never rejects: how far a night came belongs to its ending.
 */
async function runStages({ request, deps, catalog, run }: StagesInput): Promise<Ending> {
  const { day } = request;
  const { release: folder, scratch } = run.folder;
  const capturedAt = captureTime(day, run.startedAt);
  const stored = new StoredFetch(deps.store, catalog.catalog);
  const newest = newestEntry(catalog.catalog);
  let found: NightFindings = {};
  try {
    const place = await placeOfDay(request.source, { day, workFolder: deps.workFolder });
    const fetched = await fetchInto(place, { request, deps, run, stored });
    found = { fetched: fetched?.record.files };
    if (fetched !== undefined) assertComplete(fetched);
    const source = await findSourceDay(place.root, day);
    found = { fetched: source.fetched?.files };
    const absent = await stored.findAbsent(source.fetched);
    const database = await run.openDatabase(deps.duckdb);
    const { settings } = source;
    const limits = limitsFromSettings(deps.limits, settings);
    const places = { database, store: deps.store, folder, scratch };
    const captured = await run.stage('capture', () =>
      capture(source, { ...places, limits, duckdb: deps.duckdb, absent }),
    );
    run.warn([...absentNotes(absent), ...captured.warnings]);
    const previous = await run.stage('previous', () => loadPrevious(newest, places));
    const today = dayFromDate(run.startedAt);
    const versions = findNightVersions(deps.versions ?? RECORD_VERSIONS, { day, today, previous });
    const checked = await run.stage('check', () =>
      check(
        {
          day,
          capture: captured,
          settings,
          acceptSuspects: request.acceptSuspects,
          carried: failedUpstreams(source.fetched, absent),
        },
        places,
      ),
    );
    found = { ...found, checked };
    assertFewBadRows(checked, settings, captured.uncaptured);
    run.warn(checked.warnings);
    const changed = await run.stage('diff', () =>
      diff({ day, capturedAt, captured, checked, previous, versions }, places),
    );
    const holds = [
      ...holdOfDay({ day, now: run.startedAt, newest: newest?.day, isDated: place.isDated }, deps.store),
      ...(await guard({ checked, changed, settings, previous: previous.release, catalog: catalog.catalog }, places)),
    ];
    found = { ...found, changed, holds };
    const isHeld = holds.length > 0 && !request.accept;
    if (request.dryRun || isHeld) found = { ...found, preview: await preview(checked, places) };
    run.warn(renewalNotes(versions, changed));
    if (isHeld) return { found, problems: holds.map(({ message }) => message) };
    await run.stage('history', () => closeIntervals(previous, versions.inForce, places));
    const written = await run.stage('snapshot', () =>
      writeSnapshot({ day, versions, records: changed.records, aliases: source.aliases?.aliases }, places),
    );
    await copyFetched(source, folder);
    const proof = { changed, written, previous, versions };
    await run.stage('prove', async () => {
      await proveEvents(proof, places);
      // The files are read back without DuckDB, which has time for the state meanwhile.
      await allEnded([proveFiles(proof, places), writeState(versions.inForce, places)]);
    });
    const release = await composeRelease({
      day,
      run: run.id,
      capturedAt,
      publishedAt: timestampFromDate(deps.clock()),
      toolVersion: deps.toolVersion,
      rankingMethod: settings.ranking_method,
      previous,
      captured,
      checked,
      changed,
      accepted: holds,
      written,
      folder,
      upstreams: settings.upstreams,
      fetched: source.fetched,
      absent,
    });
    if (!request.dryRun) await run.stage('publish', () => publish({ release, folder, catalog }, deps));
    return { found, release };
  } catch (error) {
    return { found, error: run.errorFrom(error) };
  }
}

/** The first stage, of sources that list what to fetch; undefined where nothing was to be fetched. */
async function fetchInto(
  { root, toFetch }: DayPlace,
  { request, deps, run, stored }: Omit<StagesInput, 'catalog'> & { readonly stored: StoredFetch },
): Promise<FetchedDay | undefined> {
  if (toFetch === undefined) return undefined;
  const wanted = { root: request.source, settings: toFetch, into: root, day: request.day, stored: stored.files };
  const fetched = await run.stage('fetch', () => fetchForNight(wanted, deps));
  run.warn(fetched?.warnings ?? []);
  return fetched;
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

/** The result where the day is in the catalog already. */
async function findPublished(
  request: NightRequest,
  { catalog }: LoadedCatalog,
  store: ObjectStore,
): Promise<NightResult | undefined> {
  const entry = catalog?.releases.find(({ day }) => day === request.day);
  if (entry === undefined) return undefined;
  return resultFromRelease('already_published', await loadRelease(store, entry), { request });
}

/** Turns what an operator can act on into a result; rethrows everything else. */
async function resultFromEnding(
  { release, problems, error, found }: Ending,
  { request, run, store }: { readonly request: NightRequest; readonly run: Run<Stage>; readonly store: ObjectStore },
): Promise<NightResult> {
  const { checked } = found;
  const night = { request, run, preview: found.preview };
  if (release !== undefined) return resultFromRelease(request.dryRun ? 'dry_run' : 'published', release, night);
  if (problems !== undefined) return resultFromProblems('held', problems, { ...night, checked });
  if (isAppError(error, 'source_rejected')) {
    return resultFromProblems('rejected', error.message.split('\n'), { request, run, checked });
  }
  if (!isAppError(error, 'precondition_failed')) throw error;
  const published = await findPublished(request, await loadCatalog(store), store);
  if (published !== undefined) return published;
  throw new AppError('precondition_failed', 'the catalog was changed while this night ran; run it again', {
    cause: error,
  });
}
