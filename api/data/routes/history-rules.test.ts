/** The rules of a history request (specification "History requests"; specification "Plan window"). */
import { expect, test } from 'vitest';
import { useApi } from '../../../test/support/api/use-api.ts';
import { BACKFILL_ROWS, ODD_ID, publishSmallDays, TODAY } from '../../../test/worlds/small-days.ts';

const api = useApi({
  days: async (store) => {
    await publishSmallDays(store);
    await store.backfill(BACKFILL_ROWS, '2026-06-09T00:00:00Z');
  },
  now: `${TODAY}T12:00:00Z`,
});

interface Point {
  readonly date: string;
  readonly value: number | null;
  readonly source: string;
}

async function history(query: string, model = 'a') {
  const body = await api.json(`/v1/models/${encodeURIComponent(model)}/history?${query}`);
  return body as { readonly points: readonly Point[] };
}

async function valuesByDay(query: string, model?: string): Promise<readonly string[]> {
  return (await history(query, model)).points.map(({ date, value }) => `${date.slice('2026-'.length)} ${value}`);
}

test('points are daily and ascending; a day that was not captured, or whose row was bad, has none', async () => {
  const scores = await valuesByDay('kind=score&benchmark_id=code');
  expect(scores).toEqual(['06-01 50', '06-02 55', '06-03 55', '06-06 55', '06-07 55']);
  const ranks = await valuesByDay('kind=ranking');
  expect(ranks).toEqual(['06-01 1', '06-02 1', '06-03 1', '06-06 2', '06-07 2']);
  const prices = await valuesByDay('kind=pricing&provider=p1&from=2026-06-01');
  expect(prices).toEqual(['06-01 3', '06-02 3', '06-04 3', '06-06 3', '06-07 3.5']);
});

test('reconstructed prices have every day of the calendar that they are known for, and no other', async () => {
  const { points } = await history('kind=pricing&provider=p1&to=2026-06-01');
  expect(points.map(({ date, value, source }) => `${date.slice('2026-'.length)} ${value} ${source}`)).toEqual([
    ...['05-20', '05-21', '05-22', '05-23', '05-24'].map((day) => `${day} 1 backfill`),
    ...['05-28', '05-29', '05-30', '05-31'].map((day) => `${day} 2 backfill`),
    '06-01 3 capture',
  ]);
});

test('a range of more than 400 days is refused, and one that begins after its end', async () => {
  const typesOf = async (path: string) =>
    (await api.get(path)).json().detail?.map(({ type }: { type: string }) => type);
  for (const path of ['/v1/models/a/history?kind=score', '/v1/rankings/history?category_id=general']) {
    expect((await api.get(`${path}&from=2025-05-07&to=${TODAY}`)).statusCode, path).toBe(200);
    expect(await typesOf(`${path}&from=2025-05-06&to=${TODAY}`), path).toEqual(['range_too_large']);
    expect(await typesOf(`${path}&from=2026-06-05&to=2026-06-04`), path).toEqual(['value_error']);
  }
});

test('ids are taken as they are: with / : @ + % and spaces, and in their own case', async () => {
  expect(await valuesByDay('kind=score&to=2026-06-02', ODD_ID)).toEqual(['06-01 2', '06-02 2']);
  expect(await valuesByDay('kind=score&benchmark_id=math%2Fx&to=2026-06-01')).toEqual(['06-01 1']);
  expect(await valuesByDay('kind=ranking&from=2026-06-03&to=2026-06-06', 'Case')).toEqual(['06-03 2', '06-06 1']);
  expect(await valuesByDay('kind=ranking&from=2026-06-03&to=2026-06-06', 'case')).toEqual(['06-03 2', '06-06 2']);
});

test('an unknown id is 404 with its parameter, a known one without points is 200', async () => {
  const unknown = async (path: string) => {
    const response = await api.get(path);
    return [response.statusCode, response.json().error?.code, response.json().error?.param];
  };
  expect(await unknown('/v1/models/A/history?kind=score')).toEqual([404, 'not_found', 'model_id']);
  expect(await unknown('/v1/models/a/history?kind=score&benchmark_id=Code')).toEqual([
    404,
    'not_found',
    'benchmark_id',
  ]);
  expect(await unknown('/v1/models/a/history?kind=ranking&category_id=x')).toEqual([404, 'not_found', 'category_id']);
  expect(await unknown('/v1/models/A/history?kind=score&benchmark_id=x')).toEqual([404, 'not_found', 'model_id']);
  expect(await unknown('/v1/models/a/history?kind=pricing&provider=P1')).toEqual([404, 'not_found', 'provider']);
  expect(await valuesByDay('kind=ranking&category_id=code')).toEqual([]);
  expect(await valuesByDay('kind=score', 'case')).toEqual([]);
  expect(await valuesByDay('kind=score&to=2026-05-31')).toEqual([]);
  expect(await valuesByDay('kind=pricing&provider=p2&to=2026-05-31')).toEqual([]);
  expect(await valuesByDay('kind=pricing&provider=p2', 'gone')).toEqual([]);
  // A filter of another kind means nothing here.
  expect(await valuesByDay('kind=ranking&benchmark_id=nonsense&to=2026-06-01')).toEqual(['06-01 1']);
});
