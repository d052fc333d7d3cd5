import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { Database } from '../../../storage/duckdb/database.ts';
import { number, text } from '../../../storage/duckdb/row-shape.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { listedMany } from '../../../test/worlds/listed-many.ts';
import { createScoreOrders, orderSql, SCORE_ORDERS, SCORE_SOURCE, SCORE_SOURCES_MAX } from './list-orders.ts';

const api = useApi({ days: (store) => store.publish('2026-06-01', listedMany(1)) });

async function positions(from: string): Promise<readonly number[]> {
  const rows = await api.follower.current().rows({ pos: number }, `SELECT pos FROM ${from}`);
  return rows.map(({ pos }) => pos);
}

test.each(Object.values(SCORE_ORDERS))('$table has every score once, in its order', async ({ table, sort }) => {
  const places = await positions(`${table} ORDER BY place`);
  expect(places).toEqual(await positions(`scores ORDER BY ${orderSql(sort)}`));
  const [differing] = await api.follower.current().rows(
    { n: number },
    `SELECT count(*)::DOUBLE AS n FROM ${table} o JOIN scores s USING (pos)
     WHERE (o.benchmark_id, o.value, o.source::VARCHAR, o.measured_at) IS DISTINCT FROM (s.benchmark_id, s.value, s.source, s.measured_at)`,
  );
  expect(differing).toEqual({ n: 0 });
});

test.each([
  { sources: 0, is: 'an empty list', type: undefined },
  { sources: SCORE_SOURCES_MAX, is: 'numbers', type: /^ENUM/ },
  { sources: SCORE_SOURCES_MAX + 1, is: 'texts', type: /^VARCHAR$/ },
])('$sources sources are stored as $is, and found, an unknown one nowhere', async ({ sources, type }) => {
  const database = await Database.open(':memory:', { memoryLimit: '500MB', threads: 1, tempFolder: tmpdir() });
  await database.run(`ATTACH ':memory:' AS view`);
  await database.run(
    `CREATE TABLE view.scores AS SELECT i::INTEGER AS pos, 'b' AS benchmark_id, i::DOUBLE AS value, NULL::DATE AS measured_at,
       if(i = 0, NULL, 'https://upstream.test/' || i) AS source FROM range($1::BIGINT + 1) t(i)`,
    [sources],
  );
  await createScoreOrders(database);
  await database.run(`SET search_path = 'view.main'`);
  const found = await database.rows(
    { pos: number, type: text },
    `SELECT pos, typeof(source) AS type FROM scores_by_value
     WHERE source IN (TRY_CAST('https://upstream.test/7' AS ${SCORE_SOURCE}), TRY_CAST('https://upstream.test/none' AS ${SCORE_SOURCE}))`,
  );
  expect(found).toEqual(type === undefined ? [] : [{ pos: 7, type: expect.stringMatching(type) }]);
  database.close();
});
