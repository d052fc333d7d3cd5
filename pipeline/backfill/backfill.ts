/**
 * Backfill: reconstructs pricing before the first night from a table (specification "Pricing backfill"; decision 0010).
 * The table, `--from` and the first captured pricing day bound it; it makes no events and takes no seq. A later run
 * replaces an earlier one. Rows that don't fit are reported, never guessed.
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
  classifyRows,
  getBounds,
  hasSameIntervals,
  loadKnownModels,
  type Placement,
  placeIntervals,
  writeIntervals,
} from './place.ts';
import { type PricingTable, readPricingTable } from './read-table.ts';

export interface BackfillRequest {
  /** Path. */
  readonly table: string;
  /** Null: bounded only by the table. */
  readonly from: Day | null;
  /** Everything but publishing. */
  readonly dryRun: boolean;
}

export type BackfillStage = 'read' | 'place' | 'publish';

export interface BackfillDeps
  extends Pick<NightDeps, 'store' | 'duckdb' | 'limits' | 'clock' | 'newRunId' | 'workFolder'> {
  readonly onStage: (stage: BackfillStage) => void;
}

/** `unchanged`: these intervals are in force already; `nothing_placed`: no row of the table fits. */
export type BackfillStatus = 'published' | 'dry_run' | 'unchanged' | 'nothing_placed';

/** The field names are the contract of `backfill pricing --json`. */
export interface BackfillOutcome extends Placement {
  readonly status: BackfillStatus;
  /** The backfill now in force; null without any. */
  readonly run: string | null;
  /** Its object stays until it is pruned. */
  readonly replaced: string | null;
  /** Of the table. */
  readonly rows: number;
  /** By reason. */
  readonly not_placed: NotPlaced;
  readonly from: Day | null;
  /** Every interval ends before this captured pricing day. */
  readonly first_captured: Day;
  readonly dry_run: boolean;
}

export interface BackfillResult extends BackfillOutcome {
  readonly warnings: readonly string[];
  /** Lists every row not placed, with line and reason. */
  readonly issues: string;
}

/**
 * Rejects, without changes, with `not_found` where no pricing was captured yet, `corrupt` where the catalog can't be
 * continued, `usage` where `from` leaves no day, `source_rejected` where the table is unreadable, and
 * `precondition_failed` where the catalog changed at every attempt.
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

/** Decides again on a fresh catalog after losing a race. */
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

async function attempt(catalog: LoadedCatalog, input: Backfill): Promise<BackfillOutcome> {
  const { request, run, table } = input;
  const { placement, ...placed } = await run.stage('place', () => place(catalog, input));
  const outcome = { ...placement, ...placed, rows: table.captured.rows, dry_run: request.dryRun };
  const inForce = catalog.catalog?.backfill?.pricing?.run ?? null;
  // An empty table removes a backfill; one without a fitting row is probably the wrong table.
  if (placement.intervals === 0 && table.captured.rows > 0) {
    return { status: 'nothing_placed', run: inForce, replaced: null, ...outcome };
  }
  const published = await run.stage('publish', () => publish(placement, catalog, input));
  return { ...published, ...outcome };
}

async function place({ catalog }: LoadedCatalog, { request, work }: Backfill) {
  const bounds = getBounds(catalog, request.from);
  const newest = newestEntry(catalog);
  if (newest !== undefined) await loadKnownModels(newest, work);
  const criteria = { ...bounds, price_range: SourceSettingsSchema.parse({}).price_range };
  await classifyRows(work.database, criteria);
  const placement = await placeIntervals(work.database);
  const not_placed = await countNotPlaced(work.database, criteria);
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
 * Compares all rows. A missing or damaged backfill counts as different, so that running the table again replaces it.
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
 * Uploads `placed`, reads it back, swaps the catalog (specification "Conditional writes"). Losing the swap rejects with
 * `precondition_failed` and leaves an orphan object.
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

/** The run has written its issues itself. */
function backfillReport(table: string, { result }: RunEnd<BackfillResult>): RunReport {
  const facts = { command: 'backfill pricing', table };
  if (result === undefined) return { status: 'failed', facts };
  const { status, run, warnings: _, ...outcome } = result;
  return { status, facts: { ...facts, in_force: run, ...outcome } };
}
