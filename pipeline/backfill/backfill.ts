/**
 * Backfill: pricing reconstructed from a table, for the days before the first night (specification "Pricing backfill";
 * decision 0010). It is bounded by the table, by `--from` and by the first captured pricing day; it makes no events and
 * takes no seq; a later run replaces an earlier one as a whole, by a swap of the catalog. What has no place is reported,
 * never guessed.
 */
import { type Day, dayFromDate } from '../../runtime/day.ts';
import { markBackfill } from '../../storage/backfill-objects.ts';
import { type LoadedCatalog, newestEntry } from '../../storage/catalog.ts';
import { loadCatalogToContinue } from '../../storage/continue-catalog.ts';
import type { Database } from '../../storage/duckdb/database.ts';
import type { NightDeps } from '../night/night.ts';
import { retryWhenRaced } from '../run/retry-when-raced.ts';
import { Run } from '../run/run.ts';
import { claimWorkFolder } from '../run/work-folder-store.ts';
import { SourceSettingsSchema } from '../source/source-settings.ts';
import { type BackfillOutcome, type BackfillResult, backfillReport } from './backfill-result.ts';
import { getBounds, loadKnownModels } from './bounds.ts';
import { type CommitDeps, commitBackfill, isInForce } from './commit.ts';
import { judgeRows } from './judge.ts';
import { countNotPlaced, writeNotPlaced } from './not-placed.ts';
import { type Placement, placeIntervals } from './place.ts';
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
}

/** Decides anew on a fresh catalog whenever a night, or another backfill, was faster. */
async function replacePrices(first: LoadedCatalog, backfill: Backfill): Promise<BackfillResult> {
  const { request, deps, run } = backfill;
  const { store, limits } = deps;
  const { scratch } = run.folder;
  const database = await run.openDatabase(deps.duckdb);
  const table = await run.stage('read', () => readPricingTable(request.table, { database, scratch, limits }));
  run.warn(table.warnings);
  const outcome = await retryWhenRaced(async (number) =>
    attempt(number === 1 ? first : await loadCatalogToContinue(store), { ...backfill, table, database }),
  );
  await writeNotPlaced(database, table.captured, run.issuesPath);
  return { ...outcome, warnings: run.warnings, issues: run.issuesPath };
}

interface Attempt extends Backfill {
  readonly table: PricingTable;
  readonly database: Database;
}

/** One attempt: what the table gives over this catalog, published unless it is in force already. */
async function attempt(catalog: LoadedCatalog, input: Attempt): Promise<BackfillOutcome> {
  const { request, run, table } = input;
  const placed = await run.stage('place', () => place(catalog, input));
  const outcome = { ...placed, rows: table.captured.rows, dry_run: request.dryRun };
  const inForce = catalog.catalog?.backfill?.pricing?.run ?? null;
  // An empty table takes a backfill back; one of which nothing fits is more likely the wrong table.
  if (placed.intervals === 0 && table.captured.rows > 0) {
    return { status: 'nothing_placed', run: inForce, replaced: null, ...outcome };
  }
  const published = await run.stage('publish', () => publish(placed, catalog, input));
  return { ...published, ...outcome };
}

/** Fills `placed` and `not_placed` from the table, the catalog's bounds and its newest state. */
async function place({ catalog }: LoadedCatalog, input: Attempt) {
  const { request, database } = input;
  const bounds = getBounds(catalog, request.from);
  const newest = newestEntry(catalog);
  if (newest !== undefined) await loadKnownModels(newest, placesOf(input));
  const judged = { ...bounds, price_range: SourceSettingsSchema.parse({}).price_range };
  await judgeRows(database, judged);
  const placement = await placeIntervals(database);
  const not_placed = await countNotPlaced(database, judged);
  return { ...placement, not_placed, from: bounds.from, first_captured: bounds.firstCaptured };
}

async function publish(
  placement: Placement,
  catalog: LoadedCatalog,
  input: Attempt,
): Promise<Pick<BackfillOutcome, 'status' | 'run' | 'replaced'>> {
  const { request, deps, table } = input;
  const current = catalog.catalog?.backfill?.pricing ?? null;
  if (current !== null && (await isInForce(current, placesOf(input)))) {
    if (!request.dryRun) await markBackfill(deps.store, current);
    return { status: 'unchanged', run: current.run, replaced: null };
  }
  const replaced = current?.run ?? null;
  if (request.dryRun) return { status: 'dry_run', run: null, replaced };
  const candidate = { run: deps.newRunId(), placement, tableSha256: table.captured.file.scanned.sha256 };
  await commitBackfill(candidate, catalog, placesOf(input));
  return { status: 'published', run: candidate.run, replaced };
}

function placesOf({ deps, database, run }: Attempt): CommitDeps {
  return { store: deps.store, database, scratch: run.folder.scratch };
}
