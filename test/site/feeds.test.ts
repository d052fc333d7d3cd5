import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api/open-api.ts';
import { openTemporaryStore } from '../support/pipeline/temporary-store.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';
import { type Item, itemsOf, openPublic, type PublicOptions, usePublic } from '../support/site/use-public.ts';
import { publishSourcedDays } from '../worlds/sourced-days.ts';
import { ODD_NAME, publishToldDays, TOLD_DAYS } from '../worlds/told-days.ts';
import { publishVersionedDays, VERSIONS, writeVersionedDays } from '../worlds/versioned-days.ts';

const ODD_ID = encodeURIComponent('odd/<b>:1@v2.atom');
const MODELS = ['a', 'b', 'c', 'd', 'gone', 'cjk', 'rtl', ODD_ID];
const FEEDS = [
  '/feeds/changes',
  '/feeds/models',
  ...MODELS.map((id) => `/feeds/models/${id}`),
  '/feeds/rankings/general',
  '/feeds/rankings/code',
];

const [FIRST = '', ...OTHERS] = Object.keys(TOLD_DAYS);
const api = usePublic({ days: (store) => publishToldDays(store, [FIRST]) });
/** Every feed after these nights, by day; a feed that was not there yet is missing. */
const TOLD_AFTER = ['2026-06-02', '2026-06-03', '2026-06-04', '2026-06-08'];
let toldAtFirst: readonly Item[] = [];
const told = new Map<string, ReadonlyMap<string, readonly Item[]>>();

async function feedsNow(of: TestApi): Promise<ReadonlyMap<string, readonly Item[]>> {
  const feeds = new Map<string, readonly Item[]>();
  for (const path of FEEDS) {
    const response = await of.get(`${path}.json`);
    if (response.statusCode === 200) feeds.set(path, response.json().items);
    else expect([path, response.statusCode]).toEqual([path, 404]);
  }
  return feeds;
}

beforeAll(async () => {
  toldAtFirst = await itemsOf(api, '/feeds/changes');
  for (const day of OTHERS) {
    await publishToldDays(api.store, [day]);
    if (!TOLD_AFTER.includes(day)) continue;
    await api.follower.refresh();
    told.set(day, await feedsNow(api));
  }
}, 240_000);

const titles = (items: readonly Item[]) =>
  items.map(({ title, date_published }) => [date_published.slice(5, 10), title]);

test('all changes are told in words, newest night first', async () => {
  expect(titles(await itemsOf(api, '/feeds/changes'))).toEqual([
    ['06-08', 'Back: Other gone (gone) by x, offered by p'],
    ['06-08', 'c: no longer offered by p'],
    ['06-08', 'general: c went from 4 to 3 and a is no longer ranked (it was 3)'],
    ['06-05', 'code is ranked for the first time: 1. a and 2. d'],
    ['06-04', 'b: input price at p from $2 to $2.20 per 1 M tokens (+10 %)'],
    ['06-04', 'c: now offered by r at 1 EUR / 10 EUR per 1 M tokens'],
    ['06-03', `4 new models: 深度求索 模型, one two three, ${ODD_NAME} and 1 more`],
    ['06-03', 'Gone: Model gone (gone)'],
    ['06-03', 'general: cjk came in at 2, a went from 2 to 3, c went from 3 to 4 and 1 more'],
    ['06-02', 'a: input price at p and q from $3 to $2.50 per 1 M tokens (−17 %)'],
    ['06-02', 'general: b went from 2 to 1 and a went from 1 to 2'],
  ]);
});

test('the feed of models tells who came and went, in the entries of all changes', async () => {
  const items = await itemsOf(api, '/feeds/models');
  const all = await itemsOf(api, '/feeds/changes');
  expect(items).toHaveLength(3);
  expect(items).toEqual(all.filter(({ tags }) => tags.some((tag) => tag.endsWith('-models'))));
});

test('the feed of a model tells all of it, scores too', async () => {
  expect(titles(await itemsOf(api, '/feeds/models/a'))).toEqual([
    ['06-08', 'a is no longer ranked in general (it was 3)'],
    ['06-05', 'a came in at 1 in code'],
    ['06-03', 'a went from 2 to 3 in general'],
    ['06-02', 'a: input price at p and q from $3 to $2.50 per 1 M tokens (−17 %)'],
    ['06-02', 'a went from 1 to 2 in general'],
    ['06-02', 'a: score from 70 to 71.5 in x'],
  ]);
  expect(titles(await itemsOf(api, '/feeds/models/b'))).toEqual([
    ['06-08', 'b: no longer scored in x (it was 0.5)'],
    ['06-04', 'b: input price at p from $2 to $2.20 per 1 M tokens (+10 %)'],
    ['06-04', 'b: new score 0.5 in x'],
    ['06-02', 'b went from 2 to 1 in general'],
  ]);
});

test('a model that is gone has its feed for as long as it has news', async () => {
  const items = told.get('2026-06-03')?.get('/feeds/models/gone');
  expect(titles(items ?? [])).toEqual([['06-03', 'Gone: Model gone (gone)']]);
  expect(told.get('2026-06-02')?.has('/feeds/models/cjk')).toBe(false);
});

test('a model without news has a feed without entries', () => {
  expect(told.get('2026-06-02')?.get('/feeds/models/d')).toEqual([]);
});

test('the feed of a category has an entry a night that moved anybody', async () => {
  expect(titles(await itemsOf(api, '/feeds/rankings/general'))).toEqual([
    ['06-08', 'general: c went from 4 to 3 and a is no longer ranked (it was 3)'],
    ['06-03', 'general: cjk came in at 2, a went from 2 to 3, c went from 3 to 4 and 1 more'],
    ['06-02', 'general: b went from 2 to 1 and a went from 1 to 2'],
  ]);
  expect(told.get('2026-06-04')?.has('/feeds/rankings/code')).toBe(false);
});

test('a name that is an id with a suffix is asked for with another one behind it', async () => {
  for (const format of ['atom', 'json'])
    expect((await api.get(`/feeds/models/${ODD_ID}.${format}`)).statusCode).toBe(200);
  const cut = ODD_ID.replace(/\.atom$/, '');
  expect((await api.get(`/feeds/models/${cut}.atom`)).statusCode).toBe(404);
});

test.each([
  '/feeds/models/nobody.atom',
  '/feeds/models/nobody.json',
  '/feeds/rankings/nothing.atom',
  '/feeds/models/a.rss',
  '/feeds/models/a',
  '/feeds/others.atom',
])('%s is not there', async (path) => {
  const response = await api.get(path);
  expect([response.statusCode, response.json().error.code]).toEqual([404, 'not_found']);
});

describe('what was told once', () => {
  test('has the same id and the same words in every later night', () => {
    let compared = 0;
    const nights = [...told];
    for (const [index, [day, feeds]] of nights.entries()) {
      for (const [later, laterFeeds] of nights.slice(index + 1)) {
        for (const [path, items] of feeds) {
          const now = laterFeeds.get(path) ?? [];
          expect(now.slice(now.length - items.length), `${path} of ${day} on ${later}`).toEqual(items);
          compared += items.length;
        }
      }
    }
    expect(compared).toBeGreaterThan(50);
  });

  test('is the same of a service that builds all of it anew', async () => {
    const other = await openPublic({ store: api.store.url });
    expect(await feedsNow(other)).toEqual(await feedsNow(api));
  });

  test('has an id of its own in each feed, but for what two feeds tell alike', () => {
    const items = [...(told.get('2026-06-08')?.values() ?? [])].flat();
    const words = Map.groupBy(items, ({ id }) => id);
    expect(words.size).toBeGreaterThan(30);
    for (const [id, alike] of words)
      expect(new Set(alike.map(({ date_modified: _, ...item }) => JSON.stringify(item))).size, id).toBe(1);
  });

  test('ids name the host, the night, the topic and the first event', async () => {
    const [, , , , , , newModels] = await itemsOf(api, '/feeds/changes');
    const { events } = (await api.ask(api.accounts.customers.commercial, '/v1/changes?limit=1000')).json();
    const seq = events.find((event: { entity_id: string; op: string }) => event.entity_id === 'cjk')?.seq;
    expect(newModels?.id).toBe(`tag:localhost,2026-06-03:new-models/${seq}`);
    const ofModel = await itemsOf(api, '/feeds/models/cjk');
    expect(ofModel.at(-1)?.id).toMatch(/^tag:localhost,2026-06-03:models\/cjk\/ranks\/\d+$/);
  });

  test('goes with its events when these are pruned, and the rest stays as it was', async () => {
    const before = await feedsNow(api);
    await api.store.prune({ changesMonths: 0, snapshots: 1, states: 1 });
    await api.follower.refresh();
    const after = await feedsNow(api);
    const kept = after.get('/feeds/changes') ?? [];
    expect(kept.length).toBe(3);
    for (const [path, items] of after) expect(before.get(path)?.slice(0, items.length)).toEqual(items);
  });
});

describe('what did not change is not told', () => {
  const titlesOf = async (options: PublicOptions) => titles(await itemsOf(await openPublic(options), '/feeds/changes'));

  test('in the very first night', () => {
    expect(toldAtFirst).toEqual([]);
  });

  test('by records that are sent anew in another version', async () => {
    const versioned = await openTemporaryStore({ versions: VERSIONS });
    const source = join(versioned.folder, '../versioned');
    await writeVersionedDays(source);
    await publishVersionedDays(versioned, source);
    expect(await titlesOf({ store: versioned.url, versions: VERSIONS })).toEqual([
      ['05-02', 'moved: input price at shop:eu from $1.50 to $3 per 1 M tokens (+100 %)'],
      ['05-01', 'New model: Model "new" (new)'],
      ['05-01', 'Gone: Model "gone" (gone)'],
      ['05-01', 'general: gone is no longer ranked (it was 4)'],
    ]);
    await versioned.dispose();
  });

  test('by a source that is filled, or changes alone', async () => {
    const said = await titlesOf({ days: publishSourcedDays });
    expect(said).toEqual([
      [expect.any(String), 'New model: new, offered by p'],
      [expect.any(String), 'Gone: gone'],
      [expect.any(String), expect.stringMatching(/^moved: (input )?price at /)],
    ]);
  });
});

describe('of nights a month later', () => {
  const ids = Array.from({ length: 30 }, (_, i) => `m${String(i + 1).padStart(2, '0')}`);
  const night = (order: readonly string[]): DayRows => {
    const { models = [], rankings = [], ...others } = TOLD_DAYS['2026-06-08'] ?? {};
    const ranks = order.map((model_id, i) => ({ model_id, category: 'x', rank: i + 1, trueskill_mu: 25 }));
    return {
      ...others,
      models: [...models, ...ids.map((id) => ({ id, name: id }))],
      rankings: [...rankings, ...ranks],
    };
  };
  const swap = (order: readonly string[], place: number, next: number) =>
    order.with(place - 1, order[next - 1] ?? '').with(next - 1, order[place - 1] ?? '');
  const later = usePublic({
    days: async (of) => {
      await publishToldDays(of);
      await of.publish('2026-07-01', night(ids));
      await of.publish('2026-07-02', night(swap(swap(swap(ids, 9, 11), 20, 21), 25, 26)));
    },
  });

  test('only the 30 days up to the newest release are told', async () => {
    const days = titles(await itemsOf(later, '/feeds/changes')).map(([day]) => day);
    expect([...new Set(days)]).toEqual(['07-02', '07-01', '06-08', '06-05', '06-04', '06-03']);
  });

  test('a category of many tells its first 20, and all changes its first 10', async () => {
    const newestOf = async (path: string) => {
      const items = (await itemsOf(later, path)).filter(({ date_published }) =>
        date_published.startsWith('2026-07-02'),
      );
      return items.map((item) => item.content_text.split('\n'));
    };
    const first = ['m11 went from 11 to 9', 'm09 went from 9 to 11'];
    expect(await newestOf('/feeds/changes')).toEqual([first]);
    const further = ['m21 went from 21 to 20', 'm20 went from 20 to 21'];
    expect(await newestOf('/feeds/rankings/x')).toEqual([[...first, ...further]]);
    expect(await newestOf('/feeds/models/m26')).toEqual([['m26 went from 26 to 25 in x']]);
  });
});
