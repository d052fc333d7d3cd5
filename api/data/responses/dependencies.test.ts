/** Which tags a night, a backfill or midnight changes: those of the answers that it changes, and no others. */
import { beforeAll, describe, expect, test } from 'vitest';
import { referenceRequests } from '../../../test/support/api/reference-requests.ts';
import { bearer } from '../../../test/support/api/test-accounts.ts';
import { openOwnApi, useApi } from '../../../test/support/api/use-api.ts';
import type { DayRows } from '../../../test/support/pipeline/write-day.ts';
import { BACKFILL_ROWS, publishSmallDays, SMALL_DAYS, TODAY } from '../../../test/worlds/small-days.ts';
import { DATA_ROUTES } from '../routes/data-routes.ts';

const CLOSED = '&from=2026-06-01&to=2026-06-06';

const CURRENT = [
  '/v1/models',
  '/v1/models?max_input_price=100',
  '/v1/models/a',
  '/v1/benchmarks',
  '/v1/scores',
  '/v1/pricing',
  '/v1/rankings?category=general',
  '/v1/categories',
  '/v1/sources',
  '/v1/updates?days=30',
];
const PAST = [
  `/v1/models/a/history?kind=score${CLOSED}`,
  `/v1/models/a/history?kind=ranking${CLOSED}`,
  `/v1/models/a/history?kind=pricing${CLOSED}`,
  `/v1/models/a/history?kind=metadata${CLOSED}`,
  `/v1/rankings/history?category_id=general${CLOSED}`,
  '/v1/cost?model=a&input=1000&on=2026-06-04',
];
/** They show the newest day, whether it changed anything or not. */
const DAILY = [
  '/v1/models/a/history?kind=score',
  '/v1/rankings/history?category_id=general',
  '/v1/cost?model=a&input=1000',
  '/v1/changes',
  '/v1/snapshots',
];
const NAMED = [...CURRENT, ...PAST, ...DAILY];
/** Those, and a request for each route of which none is named. */
let all = NAMED;

/** It keeps no body: one that is kept under a tag would hide that the answer is another by now. */
const api = useApi({
  days: (store) => publishSmallDays(store),
  now: `${TODAY}T12:00:00Z`,
  settings: { cacheBytes: 1 },
});

beforeAll(async () => {
  const requests = referenceRequests(await api.json('/docs/reference/openapi.json'));
  const tagged = new Set(
    DATA_ROUTES.filter(({ dependsOnText }) => dependsOnText !== null).map(({ access }) => access.name),
  );
  const isNamed = (route: string) => {
    const pattern = new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`);
    return NAMED.some((path) => pattern.test(path));
  };
  all = [...NAMED, ...requests.flatMap(({ route, url }) => (tagged.has(route) && !isNamed(route) ? [url] : []))];
});

async function showAll() {
  const answers = await Promise.all(all.map((path) => api.get(path)));
  return new Map(
    answers.map(({ headers, body }, i) => {
      const lastModified = new Date(String(headers['last-modified'])).toISOString();
      return [all[i] ?? '', { etag: String(headers['etag']), lastModified, body }];
    }),
  );
}

/**
 * The named paths whose tag is another one after the work. Whatever is asked, a tag that stays names the same bytes and the same instant;
 * one that changes was changed later than before.
 */
async function changedBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = await showAll();
  await work();
  await api.follower.refresh();
  const after = await showAll();
  const changed = all.filter((path) => before.get(path)?.etag !== after.get(path)?.etag);
  for (const path of all) {
    const [old, now] = [before.get(path), after.get(path)];
    if (!changed.includes(path)) expect(now, path).toEqual(old);
    else expect(String(old?.lastModified) < String(now?.lastModified), path).toBe(true);
  }
  return changed.filter((path) => NAMED.includes(path));
}

/** What the newest night published; each night changes one thing. */
let rows: DayRows = SMALL_DAYS['2026-06-07'] ?? {};
const first = (given: readonly object[] | undefined, change: object): readonly object[] =>
  (given ?? []).map((row, i) => (i === 0 ? { ...row, ...change } : row));

describe('the tags that change with', () => {
  test('a night without changes: those alone that show its day; what was kept stays at hand', async () => {
    api.clock.set('2026-06-09T12:00:00Z');
    const caching = await openOwnApi({ store: api.store.url, now: '2026-06-09T12:00:00Z' });
    await caching.get('/v1/models');
    expect(await changedBy(() => api.store.publish('2026-06-08', rows))).toEqual(DAILY);
    await caching.follower.refresh();
    const { headers } = await caching.get('/v1/models');
    expect([headers['x-cache'], headers['x-data-as-of']]).toEqual(['HIT', '2026-06-08T23:59:59Z']);
  });

  test.each<readonly [what: string, day: string, change: (before: DayRows) => DayRows, changed: readonly string[]]>([
    [
      'a score',
      '2026-06-09',
      ({ scores }) => ({ scores: first(scores, { value: 56 }) }),
      ['/v1/models/a', '/v1/scores'],
    ],
    [
      'a price',
      '2026-06-10',
      ({ pricing }) => ({ pricing: first(pricing, { input_per_million: 3.75 }) }),
      ['/v1/models?max_input_price=100', '/v1/models/a', '/v1/pricing'],
    ],
    [
      'a rank',
      '2026-06-11',
      ({ rankings = [] }) => ({ rankings: rankings.map((row) => ({ ...row, trueskill_mu: 26.5 })) }),
      ['/v1/models/a', '/v1/rankings?category=general', '/v1/categories'],
    ],
    [
      'other names of models',
      '2026-06-12',
      ({ models = [] }) => ({ models: models.map((row, i) => ({ ...row, name: `another ${i}` })) }),
      ['/v1/models', '/v1/models?max_input_price=100', '/v1/models/a', '/v1/updates?days=30'],
    ],
    [
      'another name of a benchmark',
      '2026-06-13',
      ({ benchmarks }) => ({ benchmarks: first(benchmarks, { name: 'another' }) }),
      ['/v1/benchmarks'],
    ],
  ])('%s', async (_, day, change, changed) => {
    api.clock.set(`${day}T23:00:00Z`);
    rows = { ...rows, ...change(rows) };
    const expected = NAMED.filter((path) => changed.includes(path) || DAILY.includes(path));
    expect(await changedBy(() => api.store.publish(day, rows))).toEqual(expected);
  });

  test('reconstructed prices: those of histories of prices', async () => {
    api.clock.set('2026-06-14T12:00:00Z');
    const work = () => api.store.backfill(BACKFILL_ROWS, '2026-06-14T10:00:00Z');
    expect(await changedBy(work)).toEqual([`/v1/models/a/history?kind=pricing${CLOSED}`]);
    const { headers } = await api.get(`/v1/models/a/history?kind=pricing${CLOSED}`);
    expect(headers['last-modified']).toBe('Sun, 14 Jun 2026 10:00:00 GMT');
  });

  test('another way to make the rankings: theirs', async () => {
    api.clock.set('2026-06-15T12:00:00Z');
    const settings = { ranking_method: 'elo' };
    const changed = await changedBy(() => api.store.publish('2026-06-14', rows, { settings }));
    expect(changed.filter((path) => CURRENT.includes(path))).toEqual(['/v1/rankings?category=general']);
    expect(await api.json('/v1/rankings?category=general')).toMatchObject({
      method: 'elo',
      ranked_at: '2026-06-11T23:59:59Z',
    });
  });

  test('midnight: those of ranges that end today', async () => {
    expect(await changedBy(async () => api.clock.set('2026-06-16T00:00:00Z'))).toEqual(DAILY.slice(0, 3));
    const { headers } = await api.get('/v1/models/a/history?kind=score');
    expect(headers['last-modified']).toBe('Tue, 16 Jun 2026 00:00:00 GMT');
  });

  test('a new model: that of updates, and again on the day on which it leaves them', async () => {
    const models = [...(rows.models ?? []), { id: 'new', name: 'new', updated_at: '2026-06-15T00:00:00Z' }];
    await api.store.publish('2026-06-15', { ...rows, models });
    await api.follower.refresh();
    const showOn = async (day: string) => {
      api.clock.set(`${day}T12:00:00Z`);
      const { headers, body } = await api.get('/v1/updates?days=1');
      const modified = new Date(String(headers['last-modified'])).toISOString();
      return { etag: headers['etag'], modified, total: JSON.parse(body).total };
    };
    const shown = await showOn('2026-06-16');
    expect(shown).toMatchObject({ total: 1, modified: '2026-06-16T00:20:00.000Z' });
    const left = await showOn('2026-06-17');
    expect(left).toMatchObject({ total: 0, modified: '2026-06-17T00:00:00.000Z' });
    expect(left.etag).not.toBe(shown.etag);
    expect(await showOn('2026-06-19')).toEqual(left);
  });

  test('a prune: those that show how far it reaches back', async () => {
    all = all.filter((path) => !path.startsWith('/v1/exports/')); // Their day goes.
    const before = await showAll();
    await api.store.prune({ changesMonths: 0, snapshots: 2, states: 7 });
    await api.follower.refresh();
    const after = await showAll();
    const changed = NAMED.filter((path) => before.get(path)?.etag !== after.get(path)?.etag);
    expect(changed).toEqual(['/v1/changes', '/v1/snapshots']);
    // The catalog has no date of the pruning, so If-Modified-Since notices it with the next night.
    for (const path of changed) expect(after.get(path)?.lastModified).toBe(before.get(path)?.lastModified);
  });
});

test('the first capture of a dataset changes the histories of days before it, whose window tells of it', async () => {
  const models = [{ id: 'a', name: 'A' }];
  const own = await openOwnApi({
    days: (store) => store.publish('2026-06-01', { models }),
    now: '2026-06-04T12:00:00Z',
  });
  const ask = async (headers: Record<string, string> = {}) =>
    own.get('/v1/models/a/history?kind=pricing&from=2026-06-01&to=2026-06-01', headers);
  const before = await ask();
  expect(before.json().window.available_from).toBeNull();
  const pricing = [{ model_id: 'a', provider: 'p', input_per_million: 1, output_per_million: 2 }];
  await own.store.publish('2026-06-02', { models, pricing });
  await own.follower.refresh();
  const after = await ask({ 'if-none-match': String(before.headers['etag']) });
  expect([after.statusCode, after.json().window.available_from]).toEqual([200, '2026-06-02']);
  expect(after.headers['last-modified']).toBe('Wed, 03 Jun 2026 00:20:00 GMT');
  const since = { 'if-modified-since': 'Wed, 03 Jun 2026 00:19:59 GMT' };
  expect((await ask(since)).statusCode).toBe(200);
});

test('what a plan’s window moves has been so since midnight at the earliest, over days that are over too', async () => {
  const own = await openOwnApi({ store: api.store.url, accounts: {}, now: '2026-06-20T12:00:00Z' });
  const { community, commercial } = own.accounts.customers;
  const asked = [
    [community, `/v1/models/a/history?kind=score${CLOSED}`],
    [community, `/v1/rankings/history?category_id=general${CLOSED}`],
    [commercial, '/v1/snapshots'],
  ] as const;
  const ask = () => Promise.all(asked.map(([{ key }, path]) => own.get(path, bearer(key))));
  const modifiedOf = (answers: Awaited<ReturnType<typeof ask>>) =>
    answers.map(({ headers }) => headers['last-modified']);
  const before = await ask();
  expect(modifiedOf(before)).toEqual(asked.map(() => 'Sat, 20 Jun 2026 00:00:00 GMT'));
  own.clock.set('2026-06-21T00:00:00Z');
  const after = await ask();
  expect(modifiedOf(after)).toEqual(asked.map(() => 'Sun, 21 Jun 2026 00:00:00 GMT'));
  for (const [i, { headers }] of after.slice(0, 2).entries())
    expect(headers['etag']).not.toBe(before[i]?.headers['etag']);
});
