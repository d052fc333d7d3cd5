import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DATASETS, type DatasetName, mapDatasets } from '../../../schemas/datasets.ts';
import { getVersion, RECORD_VERSIONS, SCHEMA_VERSION } from '../../../schemas/record-versions.ts';
import { Database, sqlText } from '../../../storage/duckdb/database.ts';
import { DUCKDB_TYPES } from '../../../storage/duckdb/record-sql.ts';
import { number, text } from '../../../storage/duckdb/row-shape.ts';
import { createTables } from './view-tables.ts';

/** A view's tables, made of states without any record but these benchmarks and categories of rankings. */
async function tablesOf(benchmarks: readonly string[], categories: readonly (readonly [string, string])[]) {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-tables-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const settings = { memoryLimit: '300MB', threads: 2, tempFolder: join(folder, 'tmp') };
  const database = await Database.open(':memory:', settings);
  onTestFinished(() => database.close());
  await database.run(`ATTACH ${sqlText(join(folder, 'view.duckdb'))} AS view`);
  const rows: Partial<Record<DatasetName, string>> = {
    benchmarks: benchmarks.map((id) => `(${sqlText(id)})`).join(', '),
    rankings: categories.map(([model, category]) => `(${sqlText(model)}, ${sqlText(category)})`).join(', '),
  };
  const write = async (name: DatasetName) => {
    const { columns, key } = DATASETS[name];
    const nothing = columns.map((column) => `NULL::${DUCKDB_TYPES[column.type]} AS ${column.name}`).join(', ');
    const values = rows[name] ? `UNION ALL BY NAME FROM (VALUES ${rows[name]}) AS given(${key.join(', ')})` : '';
    const select = `SELECT ${nothing}, DATE '2026-06-01' AS valid_from WHERE false ${values}`;
    await database.run(`COPY (${select}) TO ${sqlText(join(folder, `${name}.parquet`))} (FORMAT parquet)`);
  };
  for (const name of ['models', 'benchmarks', 'scores', 'rankings', 'pricing'] as const) await write(name);
  await createTables(database, {
    parts: {
      state: mapDatasets((name) => join(folder, `${name}.parquet`)),
      closed: mapDatasets(() => []),
      changes: [],
      backfill: undefined,
      aliases: undefined,
    },
    hasPrevious: false,
    cutovers: [],
    version: getVersion(RECORD_VERSIONS, SCHEMA_VERSION),
    rankingDays: [],
  });
  return database;
}

const PAIRS = [
  ['a', 'x'],
  ['a', 'y'],
  ['b', 'a'],
] as const;

test('records are numbered as they lie in a state, which is by key', async () => {
  const database = await tablesOf(['a', 'a:b', 'b'], PAIRS);
  const shape = { pos: number, id: text };
  expect(await database.rows(shape, 'SELECT pos, id FROM view.benchmarks ORDER BY pos')).toEqual([
    { pos: 1, id: 'a' },
    { pos: 2, id: 'a:b' },
    { pos: 3, id: 'b' },
  ]);
  const ranked = await database.rows(shape, `SELECT pos, model_id || category AS id FROM view.rankings ORDER BY pos`);
  expect(ranked.map(({ id }) => id)).toEqual(['ax', 'ay', 'ba']);
});

test.each([
  ['is in another order', ['b', 'a'], PAIRS, 'benchmarks'],
  ['has a record twice', ['a', 'a'], PAIRS, 'benchmarks'],
  ['is in the order of another column', ['a'], [PAIRS[2], PAIRS[0], PAIRS[1]], 'rankings'],
  ['is in order by the first column of its key alone', ['a'], [PAIRS[1], PAIRS[0], PAIRS[2]], 'rankings'],
] as const)('a state that %s is refused', async (_, benchmarks, categories, name) => {
  await expect(tablesOf(benchmarks, categories)).rejects.toMatchObject({
    code: 'corrupt',
    message: `the state of ${name} is not in the order of its key`,
  });
});
