/**
 * Backfill: pricing reconstructed from a table, for the days before the first night (specification "Pricing backfill";
 * decision 0010). It is bounded by the table, by `--from` and by the first captured pricing day; it makes no events and
 * takes no seq; a later run replaces an earlier one as a whole, by a swap of the catalog. What has no place is reported,
 * never guessed.
 */

import { join } from 'node:path';
import { type Day, dayFromDate } from '../../runtime/day.ts';
import { isAppError } from '../../runtime/errors.ts';
import type { PricingBackfill } from '../../schemas/catalog.ts';
import { fetchBackfill, markBackfill } from '../../storage/backfill-objects.ts';
import { type LoadedCatalog, loadCatalogToContinue, newestEntry, swapCatalog } from '../../storage/catalog.ts';
import { fetchObject } from '../../storage/fetch-object.ts';
import { hashFile } from '../../storage/hash.ts';
import { backfillKey } from '../../storage/keys.ts';
import type { NightDeps } from '../night/night.ts';
import { retryWhenRaced } from '../run/concurrency.ts';
import { Run, type RunEnd, type RunReport, type WorkDeps } from '../run/run.ts';
import { claimWorkFolder } from '../run/work-folder.ts';
import { SourceSettingsSchema } from '../source/source-settings.ts';
import { countNotPlaced, type NotPlaced, writeNotPlaced } from './not-placed.ts';
import {
  getBounds,
  hasSameIntervals,
  judgeRows,
  loadKnownModels,
  type Placement,
  placeIntervals,
  writeIntervals,
} from './place.ts';
import { type PricingTable, readPricingTable } from './read-table.ts';

export interface BackfillRequest {
  /** Path of the table. */
  readonly table: string;
  /** The first day that may have a reconstructed price; null where only the table bounds it. */
  readonly from: Day | null;
  /** Everything but publishing. */
  readonly dryRun: boolean;
}

export type BackfillStage = 'read' | 'place' | 'publish';

export interface BackfillDeps
  extends Pick<NightDeps, 'store' | 'duckdb' | 'limits' | 'clock' | 'newRunId' | 'workFolder'> {
  readonly onStage: (stage: BackfillStage) => void;
}

/**
 * What became of a backfill: `published`, `dry_run` where it would have been, `unchanged` where exactly these intervals are in
 * force, `nothing_placed` where not one row of the table has a place and everything stays as it was.
 */
export type BackfillStatus = 'published' | 'dry_run' | 'unchanged' | 'nothing_placed';

/** The field names are the contract of `backfill pricing --json`. */
export interface BackfillOutcome extends Placement {
  readonly status: BackfillStatus;
  /** The backfill that is in force now; null where there is none. */
  readonly run: string | null;
  /** The backfill that this one replaces; its object stays until it is pruned. */
  readonly replaced: string | null;
  /** Rows of the table. */
  readonly rows: number;
  /** Rows without a place, by reason. */
  readonly not_placed: NotPlaced;
  readonly from: Day | null;
  /** The first captured pricing day, before which every interval ends. */
  readonly first_captured: Day;
  readonly dry_run: boolean;
}

export interface BackfillResult extends BackfillOutcome {
  readonly warnings: readonly string[];
  /** The file that lists every row without a place, with its line and the reason. */
  readonly issues: string;
}

/**
 * Replaces the store's reconstructed prices by those of a table. Rejects with `not_found` where no pricing was captured yet,
 * `corrupt` where the catalog is not one to go on from, `usage` where `from` leaves no day, `source_rejected` where the table
 * can't be read, and `precondition_failed` where the catalog changed at every attempt; nothing has changed then.
 */
export async function backfillPricing(request: BackfillRequest, deps: BackfillDeps): Promise<BackfillResult> {
  const startedAt = deps.clock();
  const catalog = await loadCatalogToContinue(deps.store);
  getBounds(catalog.catalog, request.from);
  if (!request.dryRun) await claimWorkFolder(deps.workFolder, { store: deps.store, catalog: catalog.catalog });
  const run = await Run.open({ day: dayFromDate(startedAt), startedAt }, deps);
  return run.finish(
    () => replacePrices(catalog, { request, deps, run }),
    (end) => backfillReport(request.table, end),
  );
}

interface Backfill {
  readonly request: BackfillRequest;
  readonly deps: BackfillDeps;
  readonly run: Run<BackfillStage>;
  readonly table: PricingTable;
  readonly work: WorkDeps;
}

/** Decides anew on a fresh catalog whenever a night, or another backfill, was faster. */
async function replacePrices(
  first: LoadedCatalog,
  { request, deps, run }: Pick<Backfill, 'request' | 'deps' | 'run'>,
): Promise<BackfillResult> {
  const { store, limits } = deps;
  const { scratch } = run.folder;
  const database = await run.openDatabase(deps.duckdb);
  const table = await run.stage('read', () => readPricingTable(request.table, { database, scratch, limits }));
  run.warn(table.warnings);
  const backfill = { request, deps, run, table, work: { store, database, scratch } };
  const outcome = await retryWhenRaced(async (number) =>
    attempt(number === 1 ? first : await loadCatalogToContinue(store), backfill),
  );
  await writeNotPlaced(database, table.captured, run.issuesPath);
  return { ...outcome, warnings: run.warnings, issues: run.issuesPath };
}

/** One attempt: what the table gives over this catalog, published unless it is in force already. */
async function attempt(catalog: LoadedCatalog, input: Backfill): Promise<BackfillOutcome> {
  const { request, run, table } = input;
  const { placement, ...placed } = await run.stage('place', () => place(catalog, input));
  const outcome = { ...placement, ...placed, rows: table.captured.rows, dry_run: request.dryRun };
  const inForce = catalog.catalog?.backfill?.pricing?.run ?? null;
  // An empty table takes a backfill back; one of which nothing fits is more likely the wrong table.
  if (placement.intervals === 0 && table.captured.rows > 0) {
    return { status: 'nothing_placed', run: inForce, replaced: null, ...outcome };
  }
  const published = await run.stage('publish', () => publish(placement, catalog, input));
  return { ...published, ...outcome };
}

/** Fills `placed` and `not_placed` from the table, the catalog's bounds and its newest state. */
async function place({ catalog }: LoadedCatalog, { request, work }: Backfill) {
  const bounds = getBounds(catalog, request.from);
  const newest = newestEntry(catalog);
  if (newest !== undefined) await loadKnownModels(newest, work);
  const judged = { ...bounds, price_range: SourceSettingsSchema.parse({}).price_range };
  await judgeRows(work.database, judged);
  const placement = await placeIntervals(work.database);
  const not_placed = await countNotPlaced(work.database, judged);
  return { placement, not_placed, from: bounds.from, first_captured: bounds.firstCaptured };
}

async function publish(
  placement: Placement,
  catalog: LoadedCatalog,
  { request, deps, table, work }: Backfill,
): Promise<Pick<BackfillOutcome, 'status' | 'run' | 'replaced'>> {
  const current = catalog.catalog?.backfill?.pricing ?? null;
  if (current !== null && (await isInForce(current, work))) {
    if (!request.dryRun) await markBackfill(deps.store, current);
    return { status: 'unchanged', run: current.run, replaced: null };
  }
  const replaced = current?.run ?? null;
  if (request.dryRun) return { status: 'dry_run', run: null, replaced };
  const { intervals, first_day, last_day } = placement;
  const [run, table_sha256] = [deps.newRunId(), table.captured.file.scanned.sha256];
  await commit({ run, intervals, first_day, last_day, table_sha256 }, catalog, work);
  return { status: 'published', run, replaced };
}

/**
 * True where the backfill in force has exactly the rows of `placed`. One that is gone or damaged has not: running the same
 * table again replaces it.
 */
async function isInForce(current: PricingBackfill, { store, database, scratch }: WorkDeps): Promise<boolean> {
  const path = join(scratch, 'in-force.parquet');
  try {
    await fetchBackfill(store, current, path);
  } catch (error) {
    if (isAppError(error, 'not_found') || isAppError(error, 'corrupt')) return false;
    throw error;
  }
  return hasSameIntervals(database, path);
}

/**
 * Makes `placed` the backfill in force: uploads it under a key of its own, reads it back, swaps the catalog (specification
 * "Conditional writes"). Rejects with `precondition_failed` when another process swapped first; the object is an orphan
 * then.
 */
async function commit(
  { run, ...facts }: Omit<PricingBackfill, 'bytes' | 'sha256'>,
  catalog: LoadedCatalog,
  { store, database, scratch }: WorkDeps,
): Promise<void> {
  const path = join(scratch, `pricing.${run}.parquet`);
  await writeIntervals(database, path);
  const file = await hashFile(path);
  const key = backfillKey(run);
  await store.putFile(key, path, { ifAbsent: true });
  await fetchObject(store, { key, ...file }, join(scratch, 'read-back.parquet'));
  const backfill = { run, ...file, ...facts };
  await swapCatalog(store, catalog, { backfill: { pricing: backfill } });
  await markBackfill(store, backfill);
}

/** The report of a backfill; its list of issues it has written itself. */
function backfillReport(table: string, { result }: RunEnd<BackfillResult>): RunReport {
  const told = { command: 'backfill pricing', table };
  if (result === undefined) return { status: 'failed', facts: told };
  const { status, run, warnings: _, ...outcome } = result;
  return { status, facts: { ...told, in_force: run, ...outcome } };
}
