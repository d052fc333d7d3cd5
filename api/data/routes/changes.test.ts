/** The rules of the change feed (specification "Change feed"). */
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { plainPieces } from '../../../runtime/gzip-pieces.ts';
import { defaultsOf } from '../../../runtime/setting.ts';
import { cursorFromSeq } from '../../../schemas/change.ts';
import { type Feed, type FeedEvent, getFeed, pageFeed } from '../../../test/support/api/feed.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { useViewFiles } from '../../../test/support/api/view-file.ts';
import { ODD_ID, publishSmallDays, TODAY } from '../../../test/worlds/small-days.ts';
import { ALL_RIGHTS } from '../access/rights.ts';
import { Exports } from '../exports/exports.ts';
import { RESPONSE_SETTINGS } from '../settings.ts';
import { changesRoute } from './changes.ts';

const openView = useViewFiles();
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

test('cursors are the same with every filter, so that filters may change between pages', async () => {
  const models = await feed('entity_type=model&limit=2');
  expect(models.events.map(({ seq }) => seq)).toEqual([1, 2]);
  expect((await feed(`cursor=${models.next_cursor}`)).events).toEqual(all.slice(2));
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

describe('after a prune', () => {
  const modelsOf = (ids: string) => ({ models: [...ids].map((id) => ({ id, name: id })) });
  const pruned = useApi({
    days: async (store) => {
      await store.publish('2026-03-31', modelsOf('a'));
      await store.publish('2026-04-30', modelsOf('ab'));
      await store.publish('2026-05-01', modelsOf('ab')); // On which nothing happens.
      await store.publish('2026-06-01', modelsOf('abc'));
    },
  });
  const prune = async (changesMonths: number) => {
    await pruned.store.prune({ changesMonths, snapshots: 90, states: 7 });
    await pruned.follower.refresh();
  };

  test('a cursor older than retained_from is 410, the one just before the first event is not', async () => {
    expect(await getFeed(pruned)).toMatchObject({ retained_from: '2026-03-31' });
    await prune(2);
    const { events, ...rest } = await getFeed(pruned);
    expect(events.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(rest).toMatchObject({ retained_from: '2026-04-30', next_cursor: cursorFromSeq(3) });
    expect((await getFeed(pruned, `cursor=${cursorFromSeq(1)}`)).events).toEqual(events);
    const expired = await pruned.get(`/v1/changes?cursor=${cursorFromSeq(0)}`);
    expect(expired.statusCode).toBe(410);
    expect(expired.json().error).toMatchObject({ code: 'cursor_expired', param: 'cursor' });
    expect((await pageFeed(pruned, { type: 'model', limit: 1 })).events).toEqual(events);
  });

  test('a feed that begins on a day without changes serves those that follow', async () => {
    await prune(1);
    const { events, retained_from: from } = await getFeed(pruned);
    expect([from, events.map(({ seq }) => seq)]).toEqual(['2026-05-01', [3]]);
    expect((await getFeed(pruned, `cursor=${cursorFromSeq(2)}`)).events).toEqual(events);
    expect((await pruned.get(`/v1/changes?cursor=${cursorFromSeq(1)}`)).statusCode).toBe(410);
  });

  test('an empty feed has the cursor of its last event and no more', async () => {
    await pruned.store.publish('2026-07-15', modelsOf('abc'));
    await prune(1);
    const head = cursorFromSeq(3);
    const empty = { events: [], next_cursor: head, has_more: false, retained_from: '2026-07-15' };
    expect(await getFeed(pruned)).toMatchObject(empty);
    expect(await getFeed(pruned, `cursor=${head}&entity_type=model`)).toMatchObject(empty);
    expect((await pruned.get(`/v1/changes?cursor=${cursorFromSeq(2)}`)).statusCode).toBe(410);
  });
});

test('the cursor of a feed without any event is MA', async () => {
  const own = await openOwnApi({ days: (store) => store.publish('2026-06-01', { models: [] }) });
  const empty = { events: [], next_cursor: 'MA', has_more: false };
  expect(await getFeed(own)).toMatchObject(empty);
  expect(await getFeed(own, 'cursor=MA&entity_type=score')).toMatchObject(empty);
});

test('a filtered page looks at so many events and goes on from there, empty though it is', async () => {
  const view = await openView(
    (database) => {
      const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, 0, 0, 0)');
      // Damaged: a page without events must not read any.
      for (let seq = 1; seq <= 250_000; seq += 250) insert.run(seq, 's'.repeat(250), Buffer.from('unread'));
    },
    [{ day: '2026-06-01', first_seq: 1, last_seq: 250_000 }],
  );
  const context = {
    view,
    rights: ALL_RIGHTS,
    versions: [],
    now: new Date(0),
    today: '2026-06-02',
    settings: defaultsOf(RESPONSE_SETTINGS),
    signUrl: async () => '',
    exports: new Exports({ stream: async () => Readable.from([]) }),
  };
  const page = async (after: number) => {
    const query = { limit: '10', entity_type: 'model', ...(after > 0 && { cursor: cursorFromSeq(after) }) };
    const asked = changesRoute.read({ query }, context);
    if (!('large' in asked)) throw new Error('pages of the feed are not cached');
    return JSON.parse(Buffer.concat(plainPieces(await asked.large(context))).toString());
  };
  expect(await page(0)).toMatchObject({ events: [], next_cursor: cursorFromSeq(100_000), has_more: true });
  expect(await page(200_000)).toMatchObject({ events: [], next_cursor: cursorFromSeq(250_000), has_more: false });
});
