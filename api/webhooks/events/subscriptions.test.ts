import { expect, test } from 'vitest';
import { matcherFromFilters } from '../endpoints/filters.ts';
import { DIGEST_ITEMS_MAX, DigestDataSchema, TOPICS } from '../topics/topics.ts';
import { DigestCollector, type Subscription } from './subscriptions.ts';

function subscription(endpointId: string, more: Partial<Subscription> = {}): Subscription {
  return { endpointId, mode: 'digest', topics: new Set(TOPICS), models: [], matches: () => true, ...more };
}

test('a digest lists a thousand events, by seq, and counts the others', () => {
  const collector = new DigestCollector([subscription('one')]);
  const data = (seq: number) => ({ model_id: `model "${seq}"`, seq });
  for (let seq = 5; seq < 5 + 1500; seq += 1) collector.add({ topic: 'model.created', data: data(seq) });
  const [digest, ...others] = collector.digests();
  expect(others).toEqual([]);
  expect(digest).toMatchObject({ endpointId: 'one', topic: 'model.created', seq: 1504 });
  const received = DigestDataSchema.parse(JSON.parse(digest?.data ?? ''));
  expect(received).toMatchObject({ first_seq: 5, seq: 1504, count: 1500 });
  expect(received.items).toEqual(Array.from({ length: DIGEST_ITEMS_MAX }, (_, index) => data(5 + index)));
});

test('each endpoint has a digest of its own for each topic that tells it anything', () => {
  const collector = new DigestCollector([
    subscription('a', { matches: matcherFromFilters({ models: ['x'] }) }),
    subscription('b', { topics: new Set(['score.updated']) }),
    subscription('c', { matches: () => false }),
  ]);
  collector.add({ topic: 'model.created', data: { model_id: 'x', seq: 1 } });
  collector.add({ topic: 'model.created', data: { model_id: 'y', seq: 2 } });
  collector.add({ topic: 'score.updated', data: { model_id: 'x', benchmark_id: 'm', seq: 3 } });
  collector.add({ topic: 'score.updated', data: { model_id: 'y', benchmark_id: 'm', seq: 4 } });
  const received = collector
    .digests()
    .map(({ endpointId, topic, data }) => [endpointId, topic, JSON.parse(data).count]);
  expect(received).toEqual([
    ['a', 'model.created', 1],
    ['a', 'score.updated', 1],
    ['b', 'score.updated', 2],
  ]);
});

test('the digest of rankings begins with the lowest of their changes', () => {
  const collector = new DigestCollector([subscription('one')]);
  const add = (category_id: string, first_seq: number, seq: number) =>
    collector.add({
      topic: 'ranking.updated',
      data: { category_id, changed: 2, first_seq, seq },
      models: [],
      bestRank: 1,
    });
  add('a', 7, 8);
  add('b', 3, 9);
  expect(JSON.parse(collector.digests()[0]?.data ?? '')).toMatchObject({ first_seq: 3, seq: 9, count: 2 });
});
