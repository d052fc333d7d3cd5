import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll } from 'vitest';
import { countNotPlaced } from '../../../pipeline/backfill/not-placed.ts';
import { type Bounds, classifyRows, placeIntervals } from '../../../pipeline/backfill/place.ts';
import { readPricingTable } from '../../../pipeline/backfill/read-table.ts';
import type { Day } from '../../../runtime/day.ts';
import { Database } from '../../../storage/duckdb/database.ts';
import { nullable, text } from '../../../storage/duckdb/row-shape.ts';
import { linesFromRows } from '../pipeline/write-day.ts';
import { rawRows } from '../storage/raw-rows.ts';
import { useFolder } from '../temporary-folder.ts';
import type { TableRow } from './pricing-table.ts';

export interface Interval extends TableRow {
  readonly updated_at: string;
  readonly valid_from: Day;
  readonly valid_to: Day;
}

export type Placed = Awaited<ReturnType<ReturnType<typeof useTablePlacer>>>;

export interface PlaceInput extends Bounds {
  readonly rows: readonly unknown[];
  readonly knownModels: readonly string[];
}

const LIMITS = { lineBytesMax: 1 << 20, fileBytesMax: 1 << 30, rowsMax: 1e7, ratioMax: 200, sqlTimeoutMs: 60_000 };

/** Places tables, one after the other, in one database that the tests of a file share. */
export function useTablePlacer() {
  const scratch = useFolder();
  let database: Database;
  beforeAll(async () => {
    database = await Database.open(':memory:', { memoryLimit: '200MB', threads: 1, tempFolder: scratch() });
  });
  afterAll(() => database.close());
  /** Writes rows as a table, and reads, judges and places them. */
  return async ({ rows, knownModels, ...bounds }: PlaceInput) => {
    const path = scratch('table.jsonl');
    await writeFile(path, linesFromRows(rows));
    await database.run('DROP TABLE IF EXISTS source_pricing; DROP TABLE IF EXISTS issues');
    await readPricingTable(path, { database, scratch: scratch(), limits: LIMITS });
    const known = `CREATE OR REPLACE TABLE known_models AS SELECT unnest(from_json($1, '["VARCHAR"]')) AS id`;
    await database.run(known, [JSON.stringify(knownModels)]);
    const input = { ...bounds, price_range: [0.0001, 10_000] as [number, number] };
    await classifyRows(database, input);
    const placement = await placeIntervals(database);
    const notPlaced = await countNotPlaced(database, input);
    return { ...(await readPlaced(database)), notPlaced, placement };
  };
}

async function readPlaced(database: Database) {
  const verdicts = await database.rows(
    { verdict: nullable(text) },
    `SELECT coalesce(j.verdict, if(s.fault <> 0, 'bad_row', NULL)) AS verdict
     FROM source_pricing s LEFT JOIN classified j ON j.row = s.rowid + 1 ORDER BY s.rowid`,
  );
  const rows = await rawRows(database, 'FROM placed');
  return {
    // The columns are those of the query that filled `placed`.
    intervals: rows as unknown as readonly Interval[],
    /** For each row of the table, why it has no place; null where it has one. */
    reasons: verdicts.map(({ verdict }) => verdict),
  };
}
