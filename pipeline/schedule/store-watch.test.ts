import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Day } from '../../schemas/day.ts';
import { openTemporaryStore, type TemporaryStore } from '../../test/support/pipeline/temporary-store.ts';
import { type StoreEvent, StoreWatch } from './store-watch.ts';

const MODELS = { models: [{ id: 'a', name: 'A' }] };

let store: TemporaryStore;
beforeEach(async () => {
  store = await openTemporaryStore();
});
afterEach(() => store.dispose());

/** A watch over nights that are due at 00:05 and late after noon; `at` looks at an instant and gives what it told. */
function start({ daysOff = [] as readonly Day[] } = {}) {
  const events: StoreEvent[] = [];
  let now = new Date(0);
  const watch = new StoreWatch({
    store: store.deps.store,
    clock: () => now,
    cron: { firstRunOn: (day) => (daysOff.includes(day) ? undefined : new Date(`${day}T00:05:00Z`)) },
    lateAfter: '12:00',
    onEvent: (event) => events.push(event),
  });
  return {
    watch,
    async at(instant: string) {
      now = new Date(instant);
      await watch.look();
      return events.splice(0).map((event) => `${event.type} ${event.day}`);
    },
  };
}

test('a snapshot that somebody publishes is seen within five minutes, or at once after a night, and told once', async () => {
  const { watch, at } = start();
  await store.publish('2026-06-01', MODELS);
  expect(await at('2026-06-01T06:00:00Z')).toEqual(['release_seen 2026-06-01']);
  await store.publish('2026-06-02', MODELS);
  expect(await at('2026-06-02T06:04:59Z')).toEqual(['release_seen 2026-06-02']);
  expect(await at('2026-06-02T06:05:00Z')).toEqual([]);
  await store.publish('2026-06-03', MODELS);
  expect(await at('2026-06-02T06:06:00Z')).toEqual([]);
  watch.wake();
  expect(await at('2026-06-02T06:07:00Z')).toEqual(['release_seen 2026-06-03']);
});

test('a day that is due and not published in time is late, and told once', async () => {
  const { at } = start();
  await store.publish('2026-06-01', MODELS);
  expect(await at('2026-06-02T11:59:00Z')).toEqual(['release_seen 2026-06-01']);
  expect(await at('2026-06-02T12:00:00Z')).toEqual(['late 2026-06-02']);
  expect(await at('2026-06-02T18:00:00Z')).toEqual([]);
  expect(await at('2026-06-03T11:00:00Z')).toEqual([]);
  expect(await at('2026-06-03T12:00:00Z')).toEqual(['late 2026-06-03']);
});

test('a scheduler that was started too late finds the day late; days without a due time never are', async () => {
  await store.publish('2026-06-01', MODELS);
  expect(await start().at('2026-06-03T15:00:00Z')).toEqual(['release_seen 2026-06-01', 'late 2026-06-03']);
  expect(await start().at('2026-06-03T08:00:00Z')).toEqual(['release_seen 2026-06-01', 'late 2026-06-02']);
  const daysOff = ['2026-06-02', '2026-06-03'];
  expect(await start({ daysOff }).at('2026-06-03T15:00:00Z')).toEqual(['release_seen 2026-06-01']);
});

test('a new store has missed nothing until its first night was begun', async () => {
  const { watch, at } = start();
  expect(await at('2026-06-01T15:00:00Z')).toEqual([]);
  watch.begin('2026-06-02');
  expect(await at('2026-06-02T12:00:00Z')).toEqual(['late 2026-06-02']);
});

test('a store that cannot be read is told where a day is due, with the reason', async () => {
  await store.publish('2026-06-01', MODELS);
  const { watch, at } = start();
  await rename(join(store.folder, 'catalog.json'), join(store.folder, 'kept.json'));
  await store.deps.store.put('catalog.json', Buffer.from('{'), { ifAbsent: true });
  expect(await at('2026-06-02T11:00:00Z')).toEqual(['late 2026-06-01']);
  expect(await at('2026-06-02T11:30:00Z')).toEqual([]);
  watch.wake();
  await rename(join(store.folder, 'kept.json'), join(store.folder, 'catalog.json'));
  expect(await at('2026-06-02T11:31:00Z')).toEqual(['release_seen 2026-06-01']);
});
