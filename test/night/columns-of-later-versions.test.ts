/** Sources whose own columns have the names of columns of a later version (specification "Bad rows"). */
import { expect, test } from 'vitest';
import { addDays } from '../../runtime/day.ts';
import { readRecords } from '../support/pipeline/published.ts';
import { useStore } from '../support/pipeline/use-store.ts';
import { CUTOVER } from '../worlds/rated-days.ts';

const store = useStore();

test('before the version that stores a column, its wrong values are left out with a warning; from then on the rows are bad', async () => {
  const rates = [{ meter: 'input', unit: 'token', per: 1_000_000, price: 9 }];
  const rows = {
    models: [
      { id: 'a', name: 'A', status: 'ga', open_weights: 'yes' },
      { id: 'b', name: 'B', status: 'beta' },
    ],
    pricing: [
      { model_id: 'a', provider: 'p', input_per_million: 1, rates },
      { model_id: 'b', provider: 'p', input_per_million: 1, rates: 'cheap' },
    ],
  };
  const before = await store.publish(addDays(CUTOVER, -3), rows);
  expect(before).toMatchObject({ status: 'published', quarantined: 0, records: { models: 2, pricing: 2 } });
  expect(before.warnings.filter((warning) => warning.includes(CUTOVER))).toEqual([
    `models: status is wrong in 2 rows, and left out; from ${CUTOVER} on such rows are bad`,
    `models: open_weights is wrong in 1 row, and left out; from ${CUTOVER} on such rows are bad`,
    `pricing: rates is wrong in 2 rows, and left out; from ${CUTOVER} on such rows are bad`,
  ]);
  expect((await readRecords(store, 'models')).map((record) => record['name'])).toEqual(['A', 'B']);
  await expect(store.publish(CUTOVER, rows)).rejects.toThrow('models: 2 of 2 rows are bad');
});

test('another fault of such a row still sets it aside', async () => {
  const models = [
    { id: 'a', name: '', status: 'ga' },
    { id: 'b', name: 'B' },
  ];
  const result = await store.publish(addDays(CUTOVER, -3), { models }, { settings: { max_bad_rows: 1 } });
  expect(result).toMatchObject({ status: 'published', quarantined: 1, records: { models: 1 } });
});
