/**
 * Corrects releases with a future day (specification "A day that was wrong"; decision 0098). Events keep their numbers
 * and bytes, snapshots their content, so consumers stay in sync. One swap of the catalog makes everything visible.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addDays, type Day, dayFromDate, daysBetween, isDay, timestampFromDate } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import type { Catalog, CatalogEntry } from '../../schemas/catalog.ts';
import { manifestsOf, type Release, ReleaseSchema } from '../../schemas/release.ts';
import { getEntry, loadCatalogToContinue, loadRelease, markPublished, swapCatalog } from '../../storage/catalog.ts';
import { type Database, type DuckDBLimits, sqlName, sqlText, writeParquet } from '../../storage/duckdb/database.ts';
import { text } from '../../storage/duckdb/row-shape.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { snapshotPaths } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { uploadRelease } from '../night/publish.ts';
import { type Run, runUpkeep, type UpkeepDeps, type UpkeepEnd, type WorkDeps } from '../run/run.ts';
import { claimWorkFolder } from '../run/work-folder.ts';
import { describeFiles } from '../source/fetch-record.ts';

export interface RedateDeps extends UpkeepDeps {
  readonly store: ObjectStore;
  readonly duckdb: DuckDBLimits;
  readonly uploadsMax: number;
}

export interface RedateRequest {
  /** Later days move with it. */
  readonly day: Day;
  readonly to: Day;
}

export interface Redated {
  readonly redated: readonly { readonly from: Day; readonly to: Day }[];
}

/**
 * Rejects with `not_found` where the snapshot doesn't exist, with `usage` where its day is not in the future, is the
 * store's first, or doesn't fit at the target.
 */
export function redate(request: RedateRequest, deps: RedateDeps): Promise<Redated & UpkeepEnd> {
  const summarize = (facts: Redated) => ({ status: 'redated', facts });
  return runUpkeep({ command: 'catalog redate', request, summarize }, deps, (run) => redateAll(request, deps, run));
}

async function redateAll(request: RedateRequest, deps: RedateDeps, run: Run): Promise<Redated> {
  const { store, uploadsMax } = deps;
  const loaded = await loadCatalogToContinue(store, 'all');
  const { earlier, wrong, shift } = planRedate(loaded.catalog, request, deps.clock());
  await claimWorkFolder(deps.workFolder, { store, catalog: loaded.catalog });
  const database = await run.openDatabase(deps.duckdb);
  const redated: Awaited<ReturnType<typeof uploadRelease>>[] = [];
  for (const entry of wrong) {
    const previous = redated.at(-1)?.entry ?? earlier.at(-1);
    if (previous === undefined) throw new Error('the first release is never moved');
    const folder = join(run.folder.scratch, entry.day);
    await mkdir(folder, { recursive: true });
    const moved = { entry, previous, shift, run: deps.newRunId() };
    const release = await run.stage('redate', () => redateRelease(moved, { store, database, scratch: folder }));
    redated.push(await run.stage('upload', () => uploadRelease({ release, folder }, { store, uploadsMax })));
    await rm(folder, { recursive: true });
  }
  const entries = redated.map(({ entry }) => entry);
  await swapCatalog(store, loaded, { releases: [...earlier, ...entries] });
  for (const { entry, body } of redated) await markPublished(store, entry, body);
  return { redated: entries.map(({ day, redated_from }) => ({ from: redated_from?.day ?? day, to: day })) };
}

interface Plan {
  readonly earlier: readonly CatalogEntry[];
  /** Oldest first. */
  readonly wrong: readonly CatalogEntry[];
  readonly shift: DayShift;
}

function planRedate(catalog: Catalog | undefined, { day, to }: RedateRequest, now: Date): Plan {
  if (!isDay(to)) throw new AppError('usage', `${to} is not a day such as 2026-11-20`);
  const entry = getEntry(catalog, day);
  const releases = catalog?.releases ?? [];
  const at = releases.indexOf(entry);
  const [earlier, wrong] = [releases.slice(0, at), releases.slice(at)];
  const today = dayFromDate(now);
  const days = daysBetween(to, day);
  const last = addDays(wrong.at(-1)?.day ?? day, -days);
  const before = earlier.at(-1)?.day;
  if (day <= today) throw refused(day, `is not in the future: today is ${today} (UTC), and published days stay`);
  if (before === undefined)
    throw refused(day, 'is the first snapshot, which gives the store its identity: begin a new store');
  if (to <= before) throw refused(day, `can't become ${to}: it has to lie after ${before}, the snapshot before it`);
  if (last > today)
    throw refused(day, `can't become ${to}: the newest snapshot would be of ${last}, and today is ${today} (UTC)`);
  return { earlier, wrong, shift: { from: day, days, now } };
}

function refused(day: Day, why: string): AppError {
  return new AppError('usage', `${day} ${why}`);
}

interface ReleaseToRedate {
  readonly entry: CatalogEntry;
  /** The predecessor, as the new catalog names it. */
  readonly previous: CatalogEntry;
  readonly shift: DayShift;
  /** The new run. */
  readonly run: string;
}

/**
 * Writes a release's files with corrected days into an empty folder. Consumers have snapshot and events, which stay
 * byte for byte.
 */
async function redateRelease(
  { entry, previous, shift, run }: ReleaseToRedate,
  { store, database, scratch: folder }: WorkDeps,
): Promise<Release> {
  const release = await loadRelease(store, entry);
  const { prev: _, ...rest } = release;
  const moved = ReleaseSchema.parse({
    ...Object(shiftDays(rest, shift)),
    run,
    prev: refFrom(previous),
    redated_from: refFrom(entry),
  });
  for (const { path } of release.files) {
    const local = join(folder, path);
    await mkdir(dirname(local), { recursive: true });
    await fetchReleaseFile(store, release, path, local);
    if (/^(?:state|history)\/.*\.parquet$/.test(path)) await shiftColumns(database, local, shift);
  }
  for (const manifest of manifestsOf(moved)) {
    await writeFile(join(folder, snapshotPaths(manifest).manifest), `${JSON.stringify(manifest)}\n`);
  }
  return { ...moved, files: [...(await describeFiles(folder))] };
}

function refFrom({ day, run, release_sha256 }: CatalogEntry) {
  return { day, run, release_sha256 };
}

/** With days from nights, not from sources. */
const DAY_COLUMNS = ['valid_from', 'valid_to', 'since', 'removed_on'];

async function shiftColumns(database: Database, path: string, { from, days }: DayShift): Promise<void> {
  const source = `read_parquet(${sqlText(path)})`;
  const found = await database.rows(
    { column_name: text },
    `SELECT column_name FROM (DESCRIBE SELECT * FROM ${source})`,
  );
  const names = found.map(({ column_name }) => column_name).filter((name) => DAY_COLUMNS.includes(name));
  if (names.length === 0) return;
  const moved = names.map((name) => {
    const column = sqlName(name);
    return `if(${column} >= DATE '${from}', (${column} - INTERVAL ${days} DAY)::DATE, ${column}) AS ${column}`;
  });
  await writeParquet(database, `SELECT * REPLACE (${moved.join(', ')}) FROM ${source}`, `${path}.moved`);
  await rename(`${path}.moved`, path);
}

/** Moves days from `from` on back by `days`. */
export interface DayShift {
  readonly from: Day;
  readonly days: number;
  /** No time becomes later than this. */
  readonly now: Date;
}

const DAY = /^\d{4}-\d{2}-\d{2}/;
const SNAPSHOT = /^(\d{4}-\d{2}-\d{2})(-v\d+)?$/;
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** Moves texts that are days, times or snapshot ids. */
function shiftDays(value: unknown, shift: DayShift): unknown {
  if (typeof value === 'string') return shiftText(value, shift);
  if (Array.isArray(value)) return value.map((each) => shiftDays(each, shift));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shiftDays(each, shift)]));
}

function shiftText(given: string, { from, days, now }: DayShift): string {
  if (!DAY.test(given) || given.slice(0, from.length) < from) return given;
  const moved = addDays(given.slice(0, from.length), -days) + given.slice(from.length);
  if (SNAPSHOT.test(given)) return moved;
  if (!TIME.test(given)) return given;
  return Date.parse(moved) > now.getTime() ? timestampFromDate(now) : moved;
}
