import { expect, test } from 'vitest';
import { useApi } from '../../../test/support/api/use-api.ts';
import { ODD_ID, publishSmallDays, TODAY } from '../../../test/worlds/small-days.ts';

const api = useApi({ days: publishSmallDays, now: `${TODAY}T12:00:00Z` });

interface Point {
  readonly date: string;
  readonly value: number;
  readonly model_id: string;
}

async function points(query: string): Promise<readonly string[]> {
  const body = await api.json(`/v1/rankings/history?${query}`);
  return (body['points'] as readonly Point[]).map(({ date, value, model_id: id }) => `${date.slice(5)} ${value} ${id}`);
}

test('there is a point per date and position, by date, rank and id; a tie has one for each model', async () => {
  expect(await points('category_id=general&from=2026-06-03&to=2026-06-06')).toEqual([
    ...['06-03 1 a', '06-03 2 Case', '06-03 2 case', `06-03 4 ${ODD_ID}`],
    ...['06-06 1 Case', '06-06 2 a', '06-06 2 case', `06-06 4 ${ODD_ID}`, '06-06 5 gone'],
  ]);
});

test('top counts positions, so that a tie is never cut', async () => {
  const top = (count: number) => points(`category_id=general&from=2026-06-07&top=${count}`);
  expect(await top(1)).toEqual(['06-07 1 Case']);
  expect(await top(2)).toEqual(['06-07 1 Case', '06-07 2 a', '06-07 2 case']);
  expect(await top(3)).toEqual(await top(2));
  expect(await top(4)).toHaveLength(4);
  expect(await top(50)).toHaveLength(5);
});

test('a day on which rankings were not captured has no point, nor has a category that nobody is in any more', async () => {
  const days = new Set((await points('category_id=general')).map((point) => point.slice(0, 5)));
  expect([...days]).toEqual(['06-01', '06-02', '06-03', '06-06', '06-07']);
  expect(await points('category_id=code')).toEqual(['06-01 1 gone', '06-02 1 gone']);
});

test('a point has the shape of a model history’s, and the model', async () => {
  const body = await api.json('/v1/rankings/history?category_id=general&to=2026-06-01&top=1');
  expect(body).toEqual({
    category_id: 'general',
    kind: 'ranking',
    points: [
      {
        date: '2026-06-01',
        value: 1,
        model_id: 'a',
        category_id: 'general',
        payload: { positions: 4, trueskill_mu: 25.5, trueskill_sigma: 1 },
        source: 'capture',
      },
    ],
    window: { from: '2025-04-27', to: '2026-06-01', plan_limit_from: null, available_from: '2026-06-01' },
  });
});

test('ten positions are served where top is left out', async () => {
  expect(await api.json('/v1/rankings/history?category_id=general')).toEqual(
    await api.json('/v1/rankings/history?category_id=general&top=10'),
  );
});

test('an unknown category is 404, a top out of range and a range too long are 422', async () => {
  const unknown = await api.get('/v1/rankings/history?category_id=General');
  expect([unknown.statusCode, unknown.json().error.param]).toEqual([404, 'category_id']);
  for (const query of ['top=51', 'top=0', 'from=2025-05-06', 'from=2026-06-05&to=2026-06-04']) {
    expect((await api.get(`/v1/rankings/history?category_id=general&${query}`)).statusCode, query).toBe(422);
  }
  expect((await api.get('/v1/rankings/history')).statusCode).toBe(422);
});
