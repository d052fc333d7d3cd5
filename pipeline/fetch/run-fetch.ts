import type { AllowedNetwork } from '../../runtime/outbound/address-check.ts';
import type { Database, DuckDBLimits } from '../../storage/duckdb/database.ts';
import { number } from '../../storage/duckdb/row-shape.ts';
import { withScratch } from '../run/run.ts';
import type { Variables } from '../source/variables.ts';
import type { FetchLimits } from './fetch-file.ts';
import { type FetchDeps, type FetchedDay, type FetchRequest, fetchSource } from './fetch-source.ts';
import { UpstreamClient } from './upstream-client.ts';

/** Configured by the operator. */
export interface FetchSetup {
  readonly limits: FetchLimits;
  readonly variables: Variables;
  /** Private networks that upstreams may redirect to. */
  readonly allow: readonly AllowedNetwork[];
  readonly userAgent: string;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly onBegin: FetchDeps['onBegin'];
  readonly onEnd: FetchDeps['onEnd'];
}

/** Fetches a day over its own connections; see {@link fetchSource}. */
export async function runFetch(
  request: FetchRequest,
  setup: FetchSetup,
  { clock, duckdb }: { readonly clock: () => Date; readonly duckdb: DuckDBLimits },
): Promise<FetchedDay> {
  const client = new UpstreamClient(setup);
  try {
    const countParquetRows = (path: string) => withScratch(duckdb, ({ database }) => parquetRows(path, database));
    return await fetchSource(request, { ...setup, client, clock, countParquetRows });
  } finally {
    await client.close();
  }
}

/** Per the file's metadata; rejects where it is not a complete Parquet file. */
async function parquetRows(path: string, database: Database): Promise<number> {
  const counted = await database.row(
    { rows: number },
    'SELECT coalesce(sum(num_rows), 0)::DOUBLE AS rows FROM parquet_file_metadata($1)',
    [path],
  );
  return counted.rows;
}
