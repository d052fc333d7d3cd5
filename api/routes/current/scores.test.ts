import { describe, expect, test } from 'vitest';
import { getList, pageList } from '../../../test/support/api/lists.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { LISTED_DAY } from '../../../test/worlds/listed-day.ts';

const api = useApi({ days: (store) => store.publish('2026-06-01', LISTED_DAY) });

const ALL = ['B:code', 'a:code', 'a:math', 'b:code', 'd:Code', 'd:code'];
const SORTED: Readonly<Record<string, readonly string[]>> = {
  model_id: ALL,
  value: ['B:code', 'a:code', 'b:code', 'd:code', 'a:math', 'd:Code'],
  '-value': ['d:Code', 'a:math', 'b:code', 'd:code', 'a:code', 'B:code'],
  '-measured_at': ['B:code', 'b:code', 'd:code', 'a:code', 'a:math', 'd:Code'],
};

function keyOf({ model_id: model, benchmark_id: benchmark }: Readonly<Record<string, unknown>>): string {
  return `${model}:${benchmark}`;
}

describe.each(Object.entries(SORTED))('sorted by %s', (sort, expected) => {
  test.each([1, 2, 5, 500])('pages of %d give every score once, those without the value last', async (limit) => {
    expect((await pageList(api, `/v1/scores?sort=${sort}&limit=${limit}`)).map(keyOf)).toEqual(expected);
  });
});

test.each([
  ['model=a', ['a:code', 'a:math']],
  ['model=A', []],
  ['benchmark=code', ['B:code', 'a:code', 'b:code', 'd:code']],
  ['benchmark=Code', ['d:Code']],
  ['model=d&benchmark=code', ['d:code']],
  ['source=official', ['B:code', 'a:code', 'd:code']],
  ['source=unheard-of', []],
  ['min_value=0.3', ['a:math', 'b:code', 'd:Code', 'd:code']],
  ['min_value=0.30000000000000004', ['a:math', 'd:Code']],
  ['max_value=0.3', ['B:code', 'a:code', 'b:code', 'd:code']],
  ['max_value=-5', ['B:code']],
  ['min_value=1e300', ['d:Code']],
  ['min_value=0.2&max_value=0.3', ['b:code', 'd:code']],
  ['measured_after=2026-02-01', ['B:code', 'b:code', 'd:code']],
  ['measured_before=2026-02-01', ['a:code', 'd:code']],
])('filtered by %s', async (query, expected) => {
  const { records, total } = await getList(api, `/v1/scores?${query}`);
  expect(records.map(keyOf)).toEqual(expected);
  expect(total).toBe(expected.length);
});

test('a score has the fields of the snapshot, without what is captured only', async () => {
  const { records } = await getList(api, '/v1/scores?model=a&benchmark=math');
  expect(JSON.stringify(records)).toBe(
    '[{"model_id":"a","benchmark_id":"math","value":0.30000000000000004,"source":"vendor","measured_at":null,' +
      '"updated_at":"2026-05-01T00:00:00Z"}]',
  );
});

test('a cursor of another list is 422', async () => {
  const { next_cursor: cursor } = await getList(api, '/v1/models?limit=1');
  expect((await api.get(`/v1/scores?cursor=${cursor}`)).statusCode).toBe(422);
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
    expect(await pageList(unsaid, `/v1/scores?sort=${sort}`)).toHaveLength(ALL.length);
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
