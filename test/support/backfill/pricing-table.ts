import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BackfillRequest, type BackfillResult, backfillPricing } from '../../../pipeline/backfill/backfill.ts';
import type { Day } from '../../../runtime/day.ts';
import { loadCatalog } from '../../../storage/catalog.ts';
import { sqlText } from '../../../storage/duckdb/database.ts';
import { text } from '../../../storage/duckdb/row-shape.ts';
import { backfillKey } from '../../../storage/keys.ts';
import type { TemporaryStore } from '../pipeline/temporary-store.ts';
import { linesFromRows } from '../pipeline/write-day.ts';

export interface TableRow {
  readonly model_id: string;
  readonly provider: string;
  readonly input_per_million: number | null;
  readonly output_per_million: number | null;
  readonly currency: string | null;
  readonly effective_from: Day | null;
  readonly effective_to: Day | null;
}

/** A row with sensible values where the test names none. */
export function tableRow(values: Partial<TableRow> = {}): TableRow {
  const price = { input_per_million: 1, output_per_million: 2, currency: 'USD' };
  return { model_id: 'm1', provider: 'p1', ...price, effective_from: null, effective_to: null, ...values };
}

/** A backfill of a table, or of rows that are written as one. */
export async function backfill(
  { folder, deps }: TemporaryStore,
  { rows = [], ...request }: Partial<BackfillRequest> & { readonly rows?: readonly object[] },
  store = deps.store,
): Promise<BackfillResult> {
  const table = join(folder, '../table.jsonl');
  if (request.table === undefined) await writeFile(table, linesFromRows(rows));
  return backfillPricing({ table, from: null, dryRun: false, ...request }, { ...deps, store, onStage: () => {} });
}

/** The rows of the backfill that the store's catalog lists; undefined where it lists none. */
export async function readIntervals({ folder, deps, reader }: TemporaryStore) {
  const run = (await loadCatalog(deps.store)).catalog?.backfill?.pricing?.run;
  if (run === undefined) return undefined;
  const file = sqlText(join(folder, backfillKey(run)));
  const rows = await reader.rows({ line: text }, `SELECT to_json(r)::VARCHAR AS line FROM read_parquet(${file}) r`);
  return rows.map(({ line }): Readonly<Record<string, unknown>> => JSON.parse(line));
}
