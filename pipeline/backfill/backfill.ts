/**
 * Backfill: pricing reconstructed from a table, for the days before the first night (SPEC "History", DESIGN §6). It is
 * bounded by the table, by `--from` and by the first captured pricing day; it makes no events and takes no seq; a later
 * run replaces an earlier one as a whole, by a swap of the catalog. What has no place is reported, never guessed.
 */
import { join } from 'node:path';
import { type Day, dayFromDate } from '../../schemas/day.ts';
import { AppError, isAppError } from '../../schemas/errors.ts';
import { SourceSettingsSchema } from '../../schemas/limits.ts';
import { markBackfill } from '../../storage/backfill-objects.ts';
import { type LoadedCatalog, loadCatalog, newestEntry } from '../../storage/catalog.ts';
import { Database } from '../../storage/duckdb.ts';
import type { NightDeps } from '../night.ts';
import { openRunFolder, type RunFolder } from '../run-folder.ts';
import { type BackfillOutcome, type BackfillResult, writeBackfillReport } from './backfill-result.ts';
import { getBounds, loadKnownModels } from './bounds.ts';
import { commitBackfill, isInForce } from './commit.ts';
import { judgeRows } from './judge.ts';
import { countNotPlaced, writeNotPlaced } from './not-placed.ts';
import { placeIntervals } from './place.ts';
import { type PricingTable, readPricingTable } from './read-table.ts';

export interface BackfillRequest {
  /** Path of the table. */
  readonly table: string;
  /** The first day that may have a reconstructed price; null where only the table bounds it. */
  readonly from: Day | null;
  /** Everything but publishing. */
  readonly dryRun: boolean;
}

export type BackfillStep = 'read' | 'place' | 'publish';

export interface BackfillDeps
  extends Pick<NightDeps, 'store' | 'clock' | 'newRunId' | 'workFolder' | 'duckdb' | 'limits'> {
  readonly onStep: (step: BackfillStep) => void;
}

/** Swaps that may be lost to others before giving up: each loss means that somebody else published meanwhile. */
const ATTEMPTS_MAX = 5;

/**
 * Replaces the store's reconstructed prices by those of a table. Rejects with `not_found` where no pricing was captured yet,
 * `usage` where `from` leaves no day, `source_rejected` where the table can't be read, and `precondition_failed` where the
 * catalog changed at every attempt; nothing has changed then.
 */
export async function backfillPricing(request: BackfillRequest, deps: BackfillDeps): Promise<BackfillResult> {
  const startedAt = deps.clock();
  const catalog = await loadCatalog(deps.store);
  getBounds(catalog.catalog, request.from);
  const folder = await openRunFolder(deps.workFolder, { day: dayFromDate(startedAt), run: deps.newRunId() });
  const database = await Database.open(':memory:', { ...deps.duckdb, tempFolder: folder.scratch });
  try {
    deps.onStep('read');
    const table = await readPricingTable(request.table, { database, scratch: folder.scratch, limits: deps.limits });
    const outcome = await attemptUntilSwapped(catalog, { request, deps, folder, database, table });
    const result = { ...outcome, warnings: table.warnings, issues: join(folder.path, 'issues.jsonl') };
    await writeNotPlaced(database, table.captured, result.issues);
    await writeBackfillReport(folder.path, { ...request, startedAt, finishedAt: deps.clock(), result });
    return result;
  } finally {
    database.close();
    await folder.removeTemporary();
  }
}

interface BackfillRun {
  readonly request: BackfillRequest;
  readonly deps: BackfillDeps;
  readonly folder: RunFolder;
  readonly database: Database;
  readonly table: PricingTable;
}

/** Decides anew on a fresh catalog whenever a night, or another backfill, was faster. */
async function attemptUntilSwapped(first: LoadedCatalog, run: BackfillRun): Promise<BackfillOutcome> {
  let catalog = first;
  for (let lost = 0; ; ) {
    try {
      return await attempt(catalog, run);
    } catch (cause) {
      if (!isAppError(cause, 'precondition_failed')) throw cause;
      lost += 1;
      if (lost === ATTEMPTS_MAX) {
        const message = `others changed the catalog ${ATTEMPTS_MAX} times meanwhile; run the backfill again`;
        throw new AppError('precondition_failed', message, { cause });
      }
      catalog = await loadCatalog(run.deps.store);
    }
  }
}

/** One attempt: what the table gives over this catalog, published unless it is in force already. */
async function attempt(catalog: LoadedCatalog, run: BackfillRun): Promise<BackfillOutcome> {
  const { request, deps, table } = run;
  deps.onStep('place');
  const placed = await place(catalog, run);
  const outcome = { ...placed, rows: table.captured.rows, dry_run: request.dryRun };
  const current = catalog.catalog?.backfill?.pricing ?? null;
  // An empty table takes a backfill back; one of which nothing fits is more likely the wrong table.
  if (placed.intervals === 0 && table.captured.rows > 0) {
    return { status: 'nothing_placed', run: current?.run ?? null, replaced: null, ...outcome };
  }
  deps.onStep('publish');
  if (current !== null && (await isInForce(current, placesOf(run)))) {
    if (!request.dryRun) await markBackfill(deps.store, current);
    return { status: 'unchanged', run: current.run, replaced: null, ...outcome };
  }
  const replaced = current?.run ?? null;
  if (request.dryRun) return { status: 'published', run: null, replaced, ...outcome };
  const candidate = { run: deps.newRunId(), placement: placed, tableSha256: table.captured.file.scanned.sha256 };
  await commitBackfill(candidate, catalog, placesOf(run));
  return { status: 'published', run: candidate.run, replaced, ...outcome };
}

/** Fills `placed` and `not_placed` from the table, the catalog's bounds and its newest state. */
async function place({ catalog }: LoadedCatalog, run: BackfillRun) {
  const { request, database } = run;
  const bounds = getBounds(catalog, request.from);
  const newest = newestEntry(catalog);
  if (newest !== undefined) await loadKnownModels(newest, placesOf(run));
  const input = { ...bounds, price_range: SourceSettingsSchema.parse({}).price_range };
  await judgeRows(database, input);
  const placement = await placeIntervals(database);
  const not_placed = await countNotPlaced(database, input);
  return { ...placement, not_placed, from: bounds.from, first_captured: bounds.firstCaptured };
}

function placesOf({ deps, database, folder }: BackfillRun) {
  return { store: deps.store, database, scratch: folder.scratch };
}
