import { DATASET_NAMES, DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { columnList } from '../../../storage/duckdb/record-sql.ts';
import { number, text } from '../../../storage/duckdb/row-shape.ts';
import type { Capture, CapturedDataset } from '../capture/capture.ts';
import { upstreamIdsSql } from '../capture/relation.ts';
import { cleanIdSql } from '../capture/typed-rows.ts';
import { countRows, table } from '../tables.ts';

/**
 * Rows of each listed upstream, by dataset; null where unknown: not captured, carried, or without upstreams in its
 * rows.
 */
export type UpstreamRows = Readonly<Partial<Record<DatasetName, ReadonlyMap<string, number | null>>>>;

export interface ListedUpstreams {
  readonly listed: readonly string[];
  /** Failed today; their rows are an earlier day's. */
  readonly carried: readonly string[];
}

/**
 * Counts each upstream's rows, good or bad (specification "Guard"); a row counts for each of its upstreams. Must run
 * before the check of rows, which removes rows and detaches what names their upstreams.
 */
export async function countUpstreamRows(
  database: Database,
  capture: Capture,
  upstreams: ListedUpstreams,
): Promise<UpstreamRows> {
  const counted: Partial<Record<DatasetName, ReadonlyMap<string, number | null>>> = {};
  if (upstreams.listed.length === 0) return counted;
  for (const name of DATASET_NAMES) {
    const captured = capture.datasets.find(({ dataset }) => dataset === name);
    const rows = captured === undefined ? undefined : await rowsByUpstream(database, captured, upstreams.listed);
    counted[name] = new Map(
      upstreams.listed.map((id) => [id, upstreams.carried.includes(id) ? null : (rows?.get(id) ?? null)]),
    );
  }
  return counted;
}

/** 0 for an upstream without rows; undefined where rows name none. */
async function rowsByUpstream(
  database: Database,
  { rows, relation: { staged } }: CapturedDataset,
  listed: readonly string[],
): Promise<ReadonlyMap<string, number> | undefined> {
  if (staged?.upstreamSql === undefined) {
    const [only, ...others] = listed;
    return only === undefined || others.length > 0 ? undefined : new Map([[only, rows]]);
  }
  const counts = await database.rows(
    { id: text, rows: number },
    `SELECT id, coalesce(sum(same) FILTER (list_contains(${upstreamIdsSql('upstream')}, id)), 0)::DOUBLE AS rows
     FROM (SELECT unnest($1::JSON::VARCHAR[]) AS id)
     LEFT JOIN (SELECT upstream, count(*) AS same FROM (SELECT ${staged.upstreamSql} AS upstream FROM ${staged.name}.staged) GROUP BY upstream) ON true
     GROUP BY id`,
    [JSON.stringify(listed)],
  );
  return new Map(counts.map((count) => [count.id, count.rows]));
}

/**
 * Removes rows of upstreams that failed today from `source_<dataset>`: an earlier day's rows only say whose records to
 * carry (specification "Fetching"). Their keys are in `stale`.
 */
export async function takeStaleRows(
  database: Database,
  { dataset: name, relation: { staged } }: CapturedDataset,
  carried: readonly string[],
): Promise<number> {
  if (carried.length === 0 || staged?.upstreamSql === undefined) return 0;
  const source = table('source', name);
  const key = DATASETS[name].key.map((part) => `${cleanIdSql(part)} AS ${part}`).join(', ');
  // The source's table has the staged rows' order, so positions match.
  await database.run(
    `CREATE TEMP TABLE stale_rows AS SELECT place FROM (
       SELECT row_number() OVER () - 1 AS place, ${staged.upstreamSql} AS upstream FROM ${staged.name}.staged)
     WHERE list_has_any(${upstreamIdsSql('upstream')}, $1::JSON::VARCHAR[])`,
    [JSON.stringify(carried)],
  );
  await database.run(
    `CREATE OR REPLACE TEMP TABLE stale AS SELECT DISTINCT ${key} FROM ${source} WHERE rowid IN (FROM stale_rows)`,
  );
  await database.run(`DELETE FROM ${source} WHERE rowid IN (FROM stale_rows)`);
  await database.run('DROP TABLE stale_rows');
  return countRows(database, 'stale');
}

/** Carries the records of stale rows that no other row describes. */
export async function setStaleAside(database: Database, { dataset: name }: CapturedDataset): Promise<void> {
  const key = columnList(DATASETS[name].key);
  await database.run(`INSERT INTO ${table('aside', name)} SELECT ${key} FROM stale`);
}
