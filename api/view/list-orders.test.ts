import { expect, test } from 'vitest';
import { number } from '../../storage/duckdb/row-shape.ts';
import { useApi } from '../../test/support/api/use-api.ts';
import { listedMany } from '../../test/worlds/listed-many.ts';
import { orderSql, SCORE_ORDERS } from './list-orders.ts';

const api = useApi({ days: (store) => store.publish('2026-06-01', listedMany(1)) });

async function positions(from: string): Promise<readonly number[]> {
  const rows = await api.follower.current().rows({ pos: number }, `SELECT pos FROM ${from}`);
  return rows.map(({ pos }) => pos);
}

test.each([
  ['models', 'id'],
  ['benchmarks', 'id'],
  ['scores', 'model_id, benchmark_id'],
  ['rankings', 'model_id, category'],
  ['pricing', 'model_id, provider'],
])('records of %s are numbered in the order of their key', async (table, key) => {
  const numbers = await positions(`${table} ORDER BY ${key}`);
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
});

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
