/** What of the feed is still there after a prune, and how far a filtered page looks. */
import { describe, expect, test } from 'vitest';
import { defaultsOf } from '../../../runtime/setting.ts';
import type { Catalog, CatalogEntry } from '../../../schemas/catalog.ts';
import { cursorFromSeq } from '../../../schemas/change.ts';
import { ENTITY_TYPES } from '../../../schemas/datasets.ts';
import { getFeed, pageFeed } from '../../../test/support/api/feed.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import { FeedIndex, type FeedStretch, type StretchWanted } from '../../view/text/feed-index.ts';
import type { Frame } from '../../view/text/view-texts.ts';
import type { View } from '../../view/view.ts';
import { ALL_RIGHTS } from '../access/rights.ts';
import { RESPONSE_SETTINGS } from '../settings.ts';
import { changesRoute } from './changes.ts';

const DAYS = ['2026-03-31', '2026-04-30', '2026-05-01', '2026-06-01'];

describe('after a prune', () => {
  const api = useApi({
    days: async (store) => {
      // A model comes each day, but on 05-01 nothing happens.
      const ids: Readonly<Record<string, readonly string[]>> = {
        '2026-03-31': ['a'],
        '2026-04-30': ['a', 'b'],
        '2026-05-01': ['a', 'b'],
        '2026-06-01': ['a', 'b', 'c'],
      };
      for (const day of DAYS) await store.publish(day, { models: (ids[day] ?? []).map((id) => ({ id, name: id })) });
    },
  });

  test('a cursor older than retained_from is 410, the one just before the first event is not', async () => {
    expect(await getFeed(api)).toMatchObject({ retained_from: '2026-03-31' });
    await api.store.prune({ changesMonths: 2, snapshots: 90, states: 7 });
    await api.follower.refresh();
    const { events, ...rest } = await getFeed(api);
    expect(events.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(rest).toMatchObject({ retained_from: '2026-04-30', next_cursor: cursorFromSeq(3) });
    expect((await getFeed(api, `cursor=${cursorFromSeq(1)}`)).events).toEqual(events);
    const expired = await api.get(`/v1/changes?cursor=${cursorFromSeq(0)}`);
    expect(expired.statusCode).toBe(410);
    expect(expired.json().error).toMatchObject({ code: 'cursor_expired', param: 'cursor' });
    expect((await pageFeed(api, { type: 'model', limit: 1 })).events).toEqual(events);
  });

  test('a feed that begins on a day without changes serves those that follow', async () => {
    await api.store.prune({ changesMonths: 1, snapshots: 90, states: 7 });
    await api.follower.refresh();
    const { events, retained_from: from } = await getFeed(api);
    expect([from, events.map(({ seq }) => seq)]).toEqual(['2026-05-01', [3]]);
    expect((await getFeed(api, `cursor=${cursorFromSeq(2)}`)).events).toEqual(events);
    expect((await api.get(`/v1/changes?cursor=${cursorFromSeq(1)}`)).statusCode).toBe(410);
  });

  test('an empty feed has the cursor of its last event and no more', async () => {
    await api.store.publish('2026-07-15', { models: ['a', 'b', 'c'].map((id) => ({ id, name: id })) });
    await api.store.prune({ changesMonths: 1, snapshots: 90, states: 7 });
    await api.follower.refresh();
    const head = cursorFromSeq(3);
    const empty = { events: [], next_cursor: head, has_more: false, retained_from: '2026-07-15' };
    expect(await getFeed(api)).toMatchObject(empty);
    expect(await getFeed(api, `cursor=${head}&entity_type=model`)).toMatchObject(empty);
    expect((await api.get(`/v1/changes?cursor=${cursorFromSeq(2)}`)).statusCode).toBe(410);
  });
});

test('the cursor of a feed without any event is MA', async () => {
  const own = await openOwnApi({ days: (store) => store.publish('2026-06-01', { models: [] }) });
  const empty = { events: [], next_cursor: 'MA', has_more: false };
  expect(await getFeed(own)).toMatchObject(empty);
  expect(await getFeed(own, 'cursor=MA&entity_type=score')).toMatchObject(empty);
});

test('a filtered page looks at so many events and goes on from there, empty though it is', async () => {
  const newest = { day: '2026-06-01', first_seq: 1, last_seq: 250_000, parts: ['changes'] } as unknown as CatalogEntry;
  const catalog = { releases: [newest] } as unknown as Catalog;
  const scores = new Uint8Array(250_000).fill(ENTITY_TYPES.indexOf('score'));
  const index = new FeedIndex(1, new Float64Array(scores.length + 1), scores);
  const texts = {
    findEvents: (wanted: StretchWanted) => index.find(wanted),
    readEvents: async ({ slices }: FeedStretch, { head, tail }: Frame) => {
      expect(slices).toEqual([]);
      return { bytes: Buffer.concat([head, tail]), giveBack: () => {} };
    },
  };
  const read = (work: (its: typeof texts) => unknown) => work(texts);
  // Only what the route uses of a view: a real one of so many events would take minutes.
  const view = { newest, meta: { catalog }, read } as unknown as View;
  const context = {
    view,
    rights: ALL_RIGHTS,
    versions: [],
    now: new Date(0),
    today: '2026-06-02',
    settings: defaultsOf(RESPONSE_SETTINGS),
    signUrl: async () => '',
  };
  const page = async (after: number) => {
    const query = { limit: '10', entity_type: 'model', ...(after > 0 && { cursor: cursorFromSeq(after) }) };
    const asked = changesRoute.read({ query }, context);
    if (!('borrowed' in asked)) throw new Error('pages of the feed are not kept');
    const { bytes } = await asked.borrowed(context);
    return JSON.parse(String(bytes));
  };
  expect(await page(0)).toMatchObject({ events: [], next_cursor: cursorFromSeq(100_000), has_more: true });
  expect(await page(200_000)).toMatchObject({ events: [], next_cursor: cursorFromSeq(250_000), has_more: false });
});
