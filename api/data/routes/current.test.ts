/** Benchmarks, rankings, categories and what is new. */
import { expect, test } from 'vitest';
import { useApi } from '../../../test/support/api/use-api.ts';
import { LISTED_DAY } from '../../../test/worlds/listed-day.ts';

const api = useApi({
  days: async (store) => {
    const over = { model_id: 'B', category: 'over', rank: 1 };
    await store.publish('2026-06-01', { ...LISTED_DAY, rankings: [...(LISTED_DAY.rankings ?? []), over] });
    await store.publish('2026-06-02', { models: [...models, { id: 'new', name: 'New' }] });
    await store.publish('2026-06-04', { models: models.slice(1) });
    await store.publish('2026-06-05', {
      models: [...models, { id: 'new', name: 'New' }, { id: 'Newer', name: 'Newer' }],
    });
  },
  now: '2026-06-10T12:00:00Z',
});
const { models = [] } = LISTED_DAY;

test('a category that was never ranked is 404, whatever the condition', async () => {
  const unknown = await api.get('/v1/rankings?category=General');
  expect([unknown.statusCode, unknown.json().error]).toMatchObject([404, { code: 'not_found', param: 'category' }]);
  for (const condition of [{ 'if-none-match': '*' }, { 'if-modified-since': api.clock.now().toUTCString() }])
    for (const url of ['/v1/rankings?category=General', '/v1/rankings/history?category_id=General'])
      expect((await api.get(url, condition)).statusCode, url).toBe(404);
});

test('a category that was ranked once and is no longer is an empty ranking', async () => {
  // It tells when the rankings were made, not when their model was gone.
  const made = { ranked_at: '2026-06-01T23:59:59Z', method: null };
  const page = { rankings: [], total: 0, next_cursor: null };
  expect(await api.json('/v1/rankings?category=over')).toEqual({ category: 'over', ...made, ...page });
  const history = await api.get('/v1/rankings/history?category_id=over&from=2026-06-01&to=2026-06-01');
  expect([history.statusCode, history.json().points]).toEqual([200, expect.arrayContaining([expect.anything()])]);
});

test('updates are the models first seen within the days before today, newest first, without those of the first night', async () => {
  const added = async (query: string) => {
    const body = await api.json(`/v1/updates?${query}`);
    const records = body['models'] as readonly Readonly<Record<string, unknown>>[];
    return { ...body, models: records.map(({ id, added_at: at }) => `${id} ${at}`) };
  };
  const [newer, older] = ['Newer 2026-06-05T23:59:59Z', 'new 2026-06-02T23:59:59Z'];
  expect(await added('days=30')).toEqual({ days: 30, models: [newer, older], total: 2, next_cursor: null });
  expect(await added('')).toEqual({ days: 7, models: [newer], total: 1, next_cursor: null });
  expect(await added('days=8')).toEqual({ days: 8, models: [newer, older], total: 2, next_cursor: null });
  const first = await added('days=30&limit=1');
  expect(first).toEqual({ days: 30, models: [newer], total: 2, next_cursor: expect.any(String) });
  expect(await added('days=4')).toEqual({ days: 4, models: [], total: 0, next_cursor: null });
});

test('updates come in pages, whose cursor is good for these days alone, also on the day after', async () => {
  const last = api.clock.now().toISOString();
  const first = await api.json('/v1/updates?days=30&limit=1');
  const next = `/v1/updates?days=30&limit=1&cursor=${first['next_cursor']}`;
  const second = { days: 30, models: [{ id: 'new' }], total: 2, next_cursor: null };
  expect(await api.json(next)).toMatchObject(second);
  api.clock.set('2026-06-11T00:00:01Z');
  expect(await api.json(next)).toMatchObject(second);
  api.clock.set(last);
  expect((await api.get(next.replace('days=30', 'days=29'))).json()).toMatchObject({
    detail: [{ loc: ['query', 'cursor'], type: 'cursor_invalid' }],
  });
});
