import { DATASETS } from '../../../schemas/datasets.ts';
import type { Database } from '../../../storage/duckdb/database.ts';
import { columnList } from '../../../storage/duckdb/record-sql.ts';
import { number } from '../../../storage/duckdb/row-shape.ts';
import type { CapturedDataset } from '../capture/capture.ts';
import { upstreamIdsSql } from '../capture/relation.ts';
import { meantIdSql } from '../capture/typed-rows.ts';
import { table } from '../tables.ts';

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
  const { keys } = await database.row({ keys: number }, 'SELECT count(*)::DOUBLE AS keys FROM stale');
  return keys;
}

/** Sets the keys of stale rows aside, so that their records are carried where no other row stands for them. */
export async function setStaleAside(database: Database, { dataset: name }: CapturedDataset): Promise<void> {
  const key = columnList(DATASETS[name].key);
  await database.run(`INSERT INTO ${table('aside', name)} SELECT ${key} FROM stale`);
}
