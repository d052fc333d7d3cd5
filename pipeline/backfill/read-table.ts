import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError, messageFromError } from '../../runtime/errors.ts';
import { DATASETS, type Dataset } from '../../schemas/datasets.ts';
import { type CapturedFile, captureFile, type FileDeps } from '../night/capture/capture.ts';
import { columnWarnings } from '../night/capture/columns.ts';
import { createIssues } from '../night/check/issues.ts';
import { explainFaults } from '../night/check/rows.ts';
import { type DatasetSource, SOURCE_FORMATS } from '../source/open-source.ts';

export interface PricingTable {
  readonly captured: CapturedFile;
  /** What an operator should know and need not act on. */
  readonly warnings: readonly string[];
}

const TABLE_FILE = /\.(?:(jsonl|json|csv)(\.gz)?|(parquet))$/;

/**
 * Reads a pricing table into `source_pricing`, typed, in file order, as the night reads a source; what is wrong with
 * single rows stands in `issues`. Rejects with `source_rejected` where the file can't be read as a whole.
 */
export async function readPricingTable(path: string, deps: FileDeps): Promise<PricingTable> {
  const file = await findTable(path);
  const captured = await captureFile(PRICING_TABLE, file, deps);
  await createIssues(deps.database);
  await explainFaults(deps.database, PRICING_TABLE, captured, captured.rows);
  return { captured, warnings: columnWarnings(captured) };
}

async function findTable(path: string): Promise<DatasetSource> {
  const name = basename(path);
  const [, text, gz, parquet] = TABLE_FILE.exec(name) ?? [];
  const format = SOURCE_FORMATS.find((candidate) => candidate === (text ?? parquet));
  if (format === undefined) {
    throw new AppError('source_rejected', `${path}: the name must end in .jsonl, .json or .csv (or .gz), or .parquet`);
  }
  try {
    if (!(await stat(path)).isFile()) throw new Error('it is not a file');
  } catch (cause) {
    throw new AppError('source_rejected', `the table ${path} can't be read: ${messageFromError(cause)}`, { cause });
  }
  return { dataset: 'pricing', name, path, format, compressed: gz !== undefined };
}

/**
 * The table from which pricing is reconstructed for the days before the first capture: one row per stretch of days with one
 * price (specification "Pricing backfill"). The same columns and rules as captured pricing, and the first day on which the
 * price no longer holds. Its rows need not have unique keys.
 */
export const PRICING_TABLE: Dataset = {
  ...DATASETS.pricing,
  grain: 'model, provider and stretch of days with one price',
  entityType: null,
  columns: [
    ...DATASETS.pricing.columns.filter(({ name, isUpstream = false }) => name !== 'updated_at' && !isUpstream),
    {
      name: 'effective_to',
      type: 'date',
      nullable: true,
      published: false,
      description: 'First day on which this price no longer holds; null where the end is unknown',
    },
  ],
};
