import { DATASET_NAMES, DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { columnList } from '../../../storage/duckdb/record-sql.ts';
import { number, text } from '../../../storage/duckdb/row-shape.ts';
import type { Capture, CapturedDataset } from '../capture/capture.ts';
import { upstreamIdsSql } from '../capture/relation.ts';
import { meantIdSql } from '../capture/typed-rows.ts';
import { countRows, table } from '../tables.ts';

/** Rows of each upstream that the source lists, by dataset; null where today doesn't tell: not captured, carried, or not named by rows. */
export type UpstreamRows = Readonly<Partial<Record<DatasetName, ReadonlyMap<string, number | null>>>>;

export interface ListedUpstreams {
  /** Ids of all that the source lists. */
  readonly listed: readonly string[];
  /** Those that failed today, whose rows are those of an earlier day. */
  readonly carried: readonly string[];
}

/**
 * Counts the rows of each upstream as they came, good or bad (specification "Guard"). A row that names several counts for each. Has to
 * come before the rows are checked: who reads them last detaches what names their upstreams, and takes out rows that others have a part in.
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

/** Rows by upstream, 0 for one that no row names; undefined where rows don't say whose they are. */
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
 * Takes the rows of upstreams that failed today out of `source_<dataset>`, before anything is said about them: they are those of an
 * earlier day, and tell no more than whose records have to be carried (specification "Fetching"). Their keys are in `stale` then;
 * resolves to how many there are.
 */
export async function takeStaleRows(
  database: Database,
  { dataset: name, relation: { staged } }: CapturedDataset,
  carried: readonly string[],
): Promise<number> {
  if (carried.length === 0 || staged?.upstreamSql === undefined) return 0;
  const source = table('source', name);
  const key = DATASETS[name].key.map((part) => `${meantIdSql(part)} AS ${part}`).join(', ');
  // Rows lie in the source's table as they came, so that the place in one is the place in the other.
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

/** Sets the keys of stale rows aside, so that their records are carried where no other row stands for them. */
export async function setStaleAside(database: Database, { dataset: name }: CapturedDataset): Promise<void> {
  const key = columnList(DATASETS[name].key);
  await database.run(`INSERT INTO ${table('aside', name)} SELECT ${key} FROM stale`);
}
