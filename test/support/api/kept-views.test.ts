import { expect, test } from 'vitest';
import type { Days } from './open-api.ts';
import { openOwnApi } from './use-api.ts';

/** Days of which no other file has a view. */
const days: Days = async (store) => {
  for (const day of ['2026-06-01', '2026-06-02']) await store.publish(day, { models: [{ id: 'kept', name: day }] });
};

test('a view is built once for a store, is served by the next API over the same, and goes on with its nights', async () => {
  const built = await openOwnApi({ days });
  const copied = await openOwnApi({ days });
  expect([built, copied].map(({ events }) => events.map(({ type }) => type))).toEqual([['swapped'], []]);
  for (const path of ['/v1/models/kept', '/v1/changes', '/v1/models/kept/history?kind=metadata']) {
    expect((await copied.get(path)).body, path).toBe((await built.get(path)).body);
  }
  await copied.store.publish('2026-06-03', { models: [{ id: 'new', name: 'New' }] });
  await copied.follower.refresh();
  const statuses = [built, copied].map(async (api) => (await api.get('/v1/models/new')).statusCode);
  expect(await Promise.all(statuses)).toEqual([404, 200]);
});

test('where a test has a part in how the view is made, its own is built', async () => {
  await openOwnApi({ days });
  const own = await openOwnApi({ days, wrapStore: (store) => store });
  expect(own.events.map(({ type }) => type)).toEqual(['swapped']);
});
