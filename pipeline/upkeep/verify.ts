/**
 * Verifies a store from the outside (specification "Promises"; decision 0024): files are the recorded ones, snapshots
 * follow byte for byte from the previous one and its events, seqs have no gap, and states agree with their snapshots.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { AppError, isAppError, messageFromError } from '../../runtime/errors.ts';
import type { Catalog, CatalogEntry, PricingBackfill } from '../../schemas/catalog.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import { fetchBackfill } from '../../storage/backfill-objects.ts';
import { getEntry, loadCatalogToContinue } from '../../storage/catalog.ts';
import type { Database, DuckDBLimits } from '../../storage/duckdb/database.ts';
import { nullable, number, text } from '../../storage/duckdb/row-shape.ts';
import { backfillKey, releaseId } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { getBounds } from '../backfill/place.ts';
import { type Run, runUpkeep, type UpkeepDeps, type UpkeepEnd, type WorkDeps } from '../run/run.ts';
import { ReleaseVerifier } from './release-verifier.ts';
import { SnapshotLines } from './snapshot-lines.ts';

export interface Verification {
  readonly ok: boolean;
  /** Snapshots checked. */
  readonly snapshots: number;
  /** Proven by replay. */
  readonly replayed: number;
  readonly problems: readonly Problem[];
}

/** `all` includes the backfill. */
export type ToVerify = 'newest' | 'all' | readonly Day[];

export interface VerifyDeps extends UpkeepDeps {
  readonly store: ObjectStore;
  readonly duckdb: DuckDBLimits;
  /** {@link RECORD_VERSIONS} by default. */
  readonly versions?: readonly RecordVersion[];
  readonly onPlan: (snapshots: number) => void;
  readonly onSnapshot: (day: Day) => void;
}

/**
 * Finds all problems. Rejects with `corrupt` where the catalog is unreadable or can't be continued, and with
 * `not_found` where it lacks a requested snapshot, or all.
 */
export function verify(days: ToVerify, deps: VerifyDeps): Promise<Verification & UpkeepEnd> {
  const summarize = ({ ok, snapshots, replayed, problems }: Verification) => ({
    status: ok ? 'ok' : 'problems',
    facts: { snapshots, replayed },
    issues: problems,
  });
  return runUpkeep({ command: 'verify', request: { days }, summarize }, deps, async (run) => {
    const { catalog } = await loadCatalogToContinue(deps.store, days === 'all' ? 'all' : 'newest');
    const entries = findEntries(days, catalog);
    if (entries.length === 0) throw new AppError('not_found', `${deps.store.url} holds no snapshots`);
    deps.onPlan(entries.length);
    const database = await run.openDatabase(deps.duckdb);
    const all = catalog?.releases ?? [];
    const proven = await run.stage('snapshots', () => verifySnapshots(entries, all, { ...deps, database, run }));
    if (days !== 'all') return proven;
    const places = { store: deps.store, database, scratch: run.folder.scratch };
    const more = await run.stage('backfill', () => verifyBackfill(catalog, places));
    return { ...proven, ok: proven.ok && more.length === 0, problems: [...proven.problems, ...more] };
  });
}

/** Oldest first; throws `not_found`. */
function findEntries(days: ToVerify, catalog: Catalog | undefined): readonly CatalogEntry[] {
  const releases = catalog?.releases ?? [];
  if (days === 'all') return releases;
  if (days === 'newest') return releases.slice(-1);
  const requested = days.map((day) => getEntry(catalog, day));
  return releases.filter((entry) => requested.includes(entry));
}

interface RunningDeps extends VerifyDeps {
  readonly database: Database;
  readonly run: Run;
}

async function verifySnapshots(
  entries: readonly CatalogEntry[],
  all: readonly CatalogEntry[],
  deps: RunningDeps,
): Promise<Verification> {
  const { store, database, versions = RECORD_VERSIONS } = deps;
  const { scratch: folder } = deps.run.folder;
  const lines = new SnapshotLines(store, folder);
  const problems: Problem[] = [];
  let replayed = 0;
  for (const entry of entries) {
    deps.onSnapshot(entry.day);
    const scratch = join(folder, releaseId(entry));
    const previous = all[all.indexOf(entry) - 1];
    const verifier = new ReleaseVerifier({ entry, previous, database, scratch, lines, store, versions });
    await verifier.run();
    await rm(scratch, { recursive: true, force: true });
    if (verifier.isReplayed) replayed += 1;
    problems.push(...verifier.problems.map((message) => ({ snapshot: entry.day, message })));
  }
  return { ok: problems.length === 0, snapshots: entries.length, replayed, problems };
}

/** Recorded file, intervals and days, all before the first captured pricing day. */
async function verifyBackfill(
  catalog: Catalog | undefined,
  { store, database, scratch }: WorkDeps,
): Promise<readonly Problem[]> {
  const backfill = catalog?.backfill?.pricing ?? undefined;
  if (backfill === undefined) return [];
  try {
    const path = join(scratch, 'pricing.parquet');
    await fetchBackfill(store, backfill, path);
    const found = await readIntervals(path, database);
    const { firstCaptured } = getBounds(catalog, null);
    return findProblems(backfill, found, firstCaptured).map((message) => problemOf(backfill, message));
  } catch (error) {
    if (isAppError(error, 'store_unavailable')) throw error;
    return [problemOf(backfill, messageFromError(error))];
  }
}

type Intervals = Pick<PricingBackfill, 'intervals' | 'first_day' | 'last_day'>;

function readIntervals(path: string, database: Database): Promise<Intervals> {
  return database.row(
    { intervals: number, first_day: nullable(text), last_day: nullable(text) },
    `SELECT count(*)::DOUBLE AS intervals, min(valid_from)::VARCHAR AS first_day, max(valid_to)::VARCHAR AS last_day
     FROM read_parquet($1)`,
    [path],
  );
}

function findProblems(recorded: Intervals, found: Intervals, firstCaptured: string): readonly string[] {
  const isRecorded = (['intervals', 'first_day', 'last_day'] as const).every((name) => recorded[name] === found[name]);
  return [
    ...(isRecorded ? [] : ['the catalog differs from its intervals']),
    ...(found.last_day !== null && found.last_day >= firstCaptured
      ? [`it reaches to ${found.last_day}, and pricing is captured since ${firstCaptured}`]
      : []),
  ];
}

function problemOf({ run }: PricingBackfill, message: string): Problem {
  return { snapshot: backfillKey(run), message };
}

export interface Problem {
  /** The snapshot's day, or an object's key. */
  readonly snapshot: string;
  readonly message: string;
}
