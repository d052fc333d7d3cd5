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
  readonly warnings: readonly string[];
}

const TABLE_FILE = /\.(?:(jsonl|json|csv)(\.gz)?|(parquet))$/;

/**
 * Reads a table into `source_pricing`, bad rows into `issues`. Rejects with `source_rejected` where the whole file is
 * unreadable.
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

/** Those of the first record version: tables of old prices have no others. */
export const TABLE_COLUMNS = DATASETS.pricing.columns.filter(({ addedIn }) => addedIn === undefined);

/**
 * One row per period with one price (specification "Pricing backfill"): the columns and rules of captured pricing, plus
 * the first day on which the price no longer applies. Keys need not be unique.
 */
export const PRICING_TABLE: Dataset = {
  ...DATASETS.pricing,
  grain: 'model, provider and period with one price',
  entityType: null,
  columns: [
    ...TABLE_COLUMNS.filter(({ name }) => name !== 'updated_at'),
    {
      name: 'effective_to',
      type: 'date',
      nullable: true,
      published: false,
      description: 'First day on which this price no longer applies; null where the end is unknown',
    },
  ],
};
