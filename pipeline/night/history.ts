import type { Day } from '../../runtime/day.ts';
import { type Column, DATASET_NAMES, DATASETS, type Dataset } from '../../schemas/datasets.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { storedColumns } from '../../schemas/record-versions.ts';
import type { Database } from '../../storage/duckdb/database.ts';
import { columnList, sameKeySql } from '../../storage/duckdb/record-sql.ts';
import type { Previous } from './previous.ts';
import { table } from './tables.ts';

/**
 * A stage of the night: an interval ends where its record changed, vanished, or was set aside and has no point today
 * (specification "History intervals"). Fills `closed_<dataset>` with the old record, `valid_from`, and `valid_to`: the
 * dataset's last captured day before today.
 */
export async function closeIntervals(
  { release }: Previous,
  version: RecordVersion,
  { database }: { readonly database: Database },
): Promise<void> {
  for (const name of DATASET_NAMES) {
    const lastCaptured = release?.last_captured[name] ?? null;
    await close(database, DATASETS[name], { columns: storedColumns(name, version), lastCaptured });
  }
}

interface Closing {
  readonly columns: readonly Column[];
  /** Before today. */
  readonly lastCaptured: Day | null;
}

async function close(database: Database, dataset: Dataset, { columns, lastCaptured }: Closing): Promise<void> {
  await database.run(
    `CREATE TABLE ${table('closed', dataset.name)} AS
     SELECT ${columnList(columns, 'p')}, p.valid_from, $1::DATE AS valid_to
     FROM ${table('previous', dataset.name)} p JOIN ${table('merged', dataset.name)} m ON ${sameKeySql(dataset, 'p', 'm')}
     WHERE m.op IN ('upsert', 'delete', 'carry') AND p.valid_from IS NOT NULL
     ORDER BY ${columnList(dataset.key, 'p')}`,
    [lastCaptured],
  );
}
