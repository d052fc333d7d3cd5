/** The rules of the change feed (specification "Change feed"). */
import { beforeAll, describe, expect, test } from 'vitest';
import { cursorFromSeq } from '../../../schemas/change.ts';
import { type Feed, type FeedEvent, getFeed, pageFeed } from '../../../test/support/api/feed.ts';
import { useApi } from '../../../test/support/api/use-api.ts';
import { ODD_ID, publishSmallDays, TODAY } from '../../../test/worlds/small-days.ts';

const api = useApi({ days: publishSmallDays, now: `${TODAY}T12:00:00Z` });
let all: readonly FeedEvent[];
let lastSeq: number;

beforeAll(async () => {
  all = (await feed()).events;
  lastSeq = all.at(-1)?.seq ?? 0;
});

function feed(query = ''): Promise<Feed> {
  return getFeed(api, query);
}

test('events come in ascending seq, without a gap, and a later one of an entity is its later state', async () => {
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
  expect(all.map(({ occurred_on: day }) => day)).toEqual(all.map(({ occurred_on: day }) => day).sort());
  const price = all.filter(({ entity_id: id, entity_type: type }) => type === 'pricing' && id === 'a:p1');
  expect(price.map(({ data }) => data?.['input_per_million'])).toEqual([3, 3.5]);
});

test('an upsert carries the full record as the live routes have it, a delete carries null', async () => {
  const detail = await api.json('/v1/models/a');
  const newest = all.findLast(({ entity_type: type, entity_id: id }) => type === 'score' && id === 'a:code');
  expect(newest?.data).toEqual((detail['scores'] as readonly object[])[0]);
  const deleted = all.filter(({ op }) => op === 'delete');
  expect(deleted.map(({ entity_type: type, entity_id: id }) => `${type} ${id}`).sort()).toEqual([
    ...['model gone', 'pricing gone:p1', 'ranking gone:code', 'score gone:code'],
  ]);
  expect(deleted.every(({ data }) => data === null)).toBe(true);
  expect(Object.keys(all[0] ?? {})).toEqual([
    ...['seq', 'occurred_on', 'entity_type', 'entity_id', 'key', 'op', 'data', 'schema_version'],
  ]);
});

test('a page applied twice gives the same state, and a seq that is not newer is known', async () => {
  const [first, again] = [await feed('limit=10'), await feed('limit=10')];
  expect(again).toEqual(first);
  const next = await feed(`limit=10&cursor=${first.next_cursor}`);
  expect(next.events[0]?.seq).toBe((first.events.at(-1)?.seq ?? 0) + 1);
});

test('any cursor replays the same events, as often as it is used', async () => {
  for (let seq = 0; seq <= lastSeq; seq += 5) {
    expect((await feed(`cursor=${cursorFromSeq(seq)}`)).events).toEqual(all.slice(seq));
  }
});

test.each([1, 7, 10, 1000])('pages of %d give every event once', async (limit) => {
  const { events, pages } = await pageFeed(api, { limit });
  expect(events).toEqual(all);
  expect(pages).toBe(Math.max(1, Math.ceil(lastSeq / limit)));
});

describe('Pages of the feed', () => {
  test.each(['model', 'score', 'ranking', 'pricing'])(
    'the events of type %s are those of the whole feed',
    async (type) => {
      const wanted = all.filter(({ entity_type: each }) => each === type);
      for (const limit of [1, 3, 1000]) {
        expect((await pageFeed(api, { limit, type })).events).toEqual(wanted);
      }
    },
  );

  test('cursors are the same with every filter, so that filters may change between pages', async () => {
    const models = await feed('entity_type=model&limit=2');
    expect(models.events.map(({ seq }) => seq)).toEqual([1, 2]);
    const rest = await feed(`cursor=${models.next_cursor}`);
    expect(rest.events).toEqual(all.slice(2));
  });
});

test('next_cursor is there at the head too, where it is that of the last event, and has_more is false', async () => {
  const head = cursorFromSeq(lastSeq);
  expect(await feed()).toMatchObject({ next_cursor: head, has_more: false });
  expect(await feed(`cursor=${head}`)).toMatchObject({ events: [], next_cursor: head, has_more: false });
  expect(await feed('entity_type=model')).toMatchObject({ next_cursor: head, has_more: false });
});

test('a page that is full says so when there is more, and a filtered one may be followed by none', async () => {
  expect(await feed(`limit=${lastSeq}`)).toMatchObject({ has_more: false });
  expect(await feed(`limit=${lastSeq - 1}`)).toMatchObject({ has_more: true });
  const lastModel = all.findLast(({ entity_type: type }) => type === 'model')?.seq ?? 0;
  const models = all.filter(({ entity_type: type }) => type === 'model').length;
  const full = await feed(`entity_type=model&limit=${models}`);
  expect(full).toMatchObject({ has_more: true, next_cursor: cursorFromSeq(lastModel) });
  const last = await feed(`entity_type=model&cursor=${full.next_cursor}`);
  expect(last).toMatchObject({ events: [], has_more: false, next_cursor: cursorFromSeq(lastSeq) });
});

test('an entity_id has the parts of the key as they are, and the key has them by name', () => {
  const odd = all.filter(({ entity_id: id }) => id.startsWith('org/odd'));
  expect(odd.map(({ entity_type: type, entity_id: id, key }) => [type, id, key])).toEqual([
    ['model', ODD_ID, { id: ODD_ID }],
    ['score', `${ODD_ID}:code`, { model_id: ODD_ID, benchmark_id: 'code' }],
    ['ranking', `${ODD_ID}:general`, { model_id: ODD_ID, category: 'general' }],
  ]);
});

test('the key of an event is how its record begins, of a delete too', () => {
  for (const { key, data } of all) {
    if (data !== null) expect(Object.entries(data).slice(0, Object.keys(key).length)).toEqual(Object.entries(key));
  }
  const deleted = all.filter(({ op }) => op === 'delete');
  expect(deleted.map(({ entity_id: id, key }) => id === Object.values(key).join(':'))).toEqual(deleted.map(() => true));
});

test('the feed tells since when it reaches back and through which day it is published', async () => {
  expect(await feed('limit=1')).toMatchObject({ retained_from: '2026-06-01', published_through: '2026-06-07' });
});
