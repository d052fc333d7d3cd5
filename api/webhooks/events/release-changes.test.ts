import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { readEvents } from '../../../test/support/webhooks/read-events.ts';
import * as rated from '../../../test/worlds/rated-days.ts';
import * as sourced from '../../../test/worlds/sourced-days.ts';
import {
  AFTER,
  BEFORE,
  CUTOVER,
  DAYS,
  LAST,
  NOTICE,
  VERSIONS,
  writeVersionedDays,
} from '../../../test/worlds/versioned-days.ts';
import type { ChangeTopic } from '../topics/topics.ts';

let store: TemporaryStore;
afterEach(() => store.dispose());

/** What these tests know the events of. */
const TOPICS = new Set<ChangeTopic>([
  'model.created',
  'model.updated',
  'score.updated',
  'ranking.updated',
  'pricing.updated',
]);

/** The events of a day, by seq; of a ranking's models all that are named here. */
const eventsOf = (day: string, before: string, watched: readonly string[] = []) =>
  readEvents(store, { day, before, topics: TOPICS, watched });

const price = (provider: string, input: number, more: object = {}) => ({
  model_id: 'm',
  provider,
  input_per_million: input,
  output_per_million: 2,
  ...more,
});
const rank = (model: string, category: string, position: number, skill: number) => ({
  model_id: model,
  category,
  rank: position,
  trueskill_mu: skill,
});

test('only what a topic is about is an event: no estimated skill, no start of a price', async () => {
  store = await openTemporaryStore();
  const models = ['m', 'n', 'o'].map((id) => ({ id, name: id }));
  await store.publish('2026-06-01', {
    models,
    pricing: [price('dated', 1), price('currency', 1), price('moved', 3), price('gone', 1)],
    rankings: [
      rank('m', 'skills', 1, 25),
      rank('m', 'ranks', 5, 25),
      rank('n', 'ranks', 4, 25),
      rank('o', 'left', 9, 25),
    ],
  });
  await store.publish('2026-06-02', {
    models: models.map((model) => ({ ...model, context_length: 1000 })),
    pricing: [
      price('dated', 1, { effective_from: '2026-06-02' }),
      ...[price('currency', 1, { currency: 'EUR' }), price('moved', 3.3), price('new', 1)],
    ],
    rankings: [rank('m', 'skills', 1, 26), rank('m', 'ranks', 3, 25), rank('n', 'ranks', 6, 25)],
  });
  const events = await eventsOf('2026-06-02', '2026-06-01', ['n', 'x']);
  const ranking = (category_id: string, changed: number) => ({
    topic: 'ranking.updated',
    data: expect.objectContaining({ category_id, changed }),
  });
  const prices = events.filter((event) => event.topic === 'pricing.updated');
  expect(prices.map(({ data, largestChangePercent }) => [data.provider, data.change, largestChangePercent])).toEqual([
    ['gone', 'provider_removed', Number.POSITIVE_INFINITY],
    ['currency', 'price', Number.POSITIVE_INFINITY],
    ['moved', 'price', 10],
    ['new', 'provider_added', Number.POSITIVE_INFINITY],
  ]);
  const none = { best_rank: null, watched: [] };
  const rankings = events.filter((event) => event.topic === 'ranking.updated');
  expect(rankings).toEqual([
    { ...ranking('left', 1), models: [], bestRank: 9, ranks: { up: none, down: none } },
    {
      ...ranking('ranks', 2),
      models: ['n'],
      bestRank: 3,
      ranks: { up: { best_rank: 3, watched: [] }, down: { best_rank: 4, watched: [{ id: 'n', best_rank: 4 }] } },
    },
  ]);
  expect(events).toHaveLength(prices.length + rankings.length);
});

test('a source that is filled at a cutover, or changes alone, is no event', async () => {
  store = await openTemporaryStore();
  await sourced.publishSourcedDays(store);
  const received = (await eventsOf(sourced.CUTOVER, sourced.LAST)).map(({ topic, data }) => [
    topic,
    'model_id' in data && data.model_id,
  ]);
  expect(received.filter(([topic]) => topic !== 'score.updated')).toEqual([
    ['pricing.updated', 'gone'],
    ['model.updated', 'named'],
    ['model.created', 'new'],
    ['pricing.updated', 'moved'],
    ['pricing.updated', 'new'],
  ]);
  expect(await eventsOf(sourced.AFTER, sourced.CUTOVER)).toEqual([]);
});

test('fields that are filled at a cutover are no event; a name or price that changes then is one, and a rate or status that changes later', async () => {
  store = await openTemporaryStore();
  await rated.publishRatedDays(store);
  const atCutover = await eventsOf(rated.CUTOVER, rated.LAST);
  const received = atCutover.map(({ topic, data }) => [topic, 'model_id' in data && data.model_id]);
  const known = atCutover.flatMap((event): readonly unknown[] => {
    if (event.topic === 'model.updated') return event.data.changed.map(({ field }) => field);
    return event.topic === 'pricing.updated' && event.data.change === 'price' ? event.data.rates : [];
  });
  const tokens = { unit: 'token', per: 1_000_000 };
  expect(known).toEqual(['name', { meter: 'input', ...tokens, from: 1, to: 3, change_percent: 200 }]);
  expect(received.filter(([topic]) => topic !== 'score.updated')).toEqual([
    ['pricing.updated', 'gone'],
    ['model.updated', 'named'],
    ['model.created', 'new'],
    ['pricing.updated', 'moved'],
    ['pricing.updated', 'new'],
  ]);
  expect(received.filter(([topic]) => topic === 'score.updated')).toEqual([['score.updated', 'new']]);
  expect(await eventsOf(rated.QUIET, rated.CUTOVER)).toEqual([]);
  const events = await eventsOf(rated.MOVED, rated.QUIET);
  const status = { field: 'status', from: 'active', to: 'deprecated' };
  const rate = { meter: 'cache_read', ...tokens, from: 0.1, to: 0.2, change_percent: 100 };
  // Of a score every field counts.
  expect(events.map(({ topic, data: { seq: _, ...data } }) => ({ topic, ...data }))).toEqual([
    { topic: 'model.updated', model_id: 'same', changed: [status] },
    { topic: 'score.updated', model_id: 'same', benchmark_id: 'x' },
    { topic: 'pricing.updated', model_id: 'same', provider: 'p', change: 'price', rates: [rate], rates_changed: 1 },
  ]);
});

test('records that are sent anew in another version are no events, and both versions are compared', async () => {
  store = await openTemporaryStore({ versions: VERSIONS });
  const source = join(store.folder, '../versioned');
  await writeVersionedDays(source);
  for (const day of DAYS) await store.night(source, day, { accept: true });
  const received = async (day: string, before: string) =>
    (await eventsOf(day, before)).map(({ topic, data: { seq: _, ...data } }) => ({ topic, ...data }));
  const moved = { topic: 'score.updated', model_id: 'moved', benchmark_id: 'x' };
  expect(await received(NOTICE, BEFORE)).toEqual([moved]);
  expect(await received(LAST, NOTICE)).toEqual([moved]);
  expect(await received(CUTOVER, LAST)).toEqual([
    { topic: 'pricing.updated', model_id: 'gone', provider: 'shop:eu', change: 'provider_removed' },
    { topic: 'ranking.updated', category_id: 'general', changed: 1, first_seq: expect.any(Number) },
    { topic: 'model.created', model_id: 'new' },
    moved,
    { topic: 'score.updated', model_id: 'new', benchmark_id: 'x' },
  ]);
  expect(await received(AFTER, CUTOVER)).toEqual([
    moved,
    {
      topic: 'pricing.updated',
      model_id: 'moved',
      provider: 'shop:eu',
      change: 'price',
      rates: [{ meter: 'input', unit: 'token', per: 1_000_000, from: 1.5, to: 3, change_percent: 100 }],
      rates_changed: 1,
    },
  ]);
});
