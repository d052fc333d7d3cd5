import { describe, expect, test } from 'vitest';
import { getList, pageList } from '../../../test/support/api/lists.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { LISTED_DAY } from '../../../test/worlds/listed-day.ts';

const api = useApi({ days: (store) => store.publish('2026-06-01', LISTED_DAY) });

test('a score has the fields of the snapshot, without what is captured only', async () => {
  const { records } = await getList(api, '/v1/scores?model=a&benchmark=math');
  expect(JSON.stringify(records)).toBe(
    '[{"model_id":"a","benchmark_id":"math","value":0.30000000000000004,"source":"vendor","measured_at":null,' +
      '"updated_at":"2026-05-01T00:00:00Z"}]',
  );
});

describe('where no score says who measured', () => {
  const unsaid = useApi({
    days: (store) =>
      store.publish('2026-06-01', {
        ...LISTED_DAY,
        scores: LISTED_DAY.scores?.map((score) => ({ ...score, source: null })),
      }),
  });

  test.each(['model_id', 'value', '-value', '-measured_at'])('sorted by %s, nobody did', async (sort) => {
    expect(await getList(unsaid, `/v1/scores?sort=${sort}&source=official`)).toMatchObject({ scores: [], total: 0 });
    expect(await pageList(unsaid, `/v1/scores?sort=${sort}`)).toHaveLength(6);
  });
});

describe('scores that DuckDB prints as other numbers', () => {
  const values = [2 ** 805, 2 ** 91, 2 ** 81, 1];
  const odd = useApi({
    days: (store) =>
      store.publish('2026-06-01', {
        ...LISTED_DAY,
        benchmarks: values.map((_, n) => ({ id: `b${n}`, name: `B${n}`, updated_at: '2026-06-01T00:00:00Z' })),
        // As texts, in full: with an exponent DuckDB reads them as other numbers, too.
        scores: values.map((value, n) => ({ model_id: 'a', benchmark_id: `b${n}`, value: String(BigInt(value)) })),
      }),
  });

  test('are each on one page, whatever the pages begin behind', async () => {
    const scores = await pageList(odd, '/v1/scores?sort=-value&limit=1');
    expect(scores.map(({ value }) => value)).toEqual(values);
  });
});
