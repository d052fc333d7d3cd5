/** Whole lists, page by page, against an independent reading of the source: every filter, every order, and a swap on the way. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { checkApi } from '../api-oracle/check-api.ts';
import { type Client, createClient } from '../api-oracle/client.ts';
import { compareRequest } from '../api-oracle/compare/compare.ts';
import type { ApiState } from '../api-oracle/expected.ts';
import { compareText, laterRows } from '../api-oracle/order.ts';
import type { Parameters } from '../api-oracle/route.ts';
import { comparePlaces, relevancePlace } from '../api-oracle/routes/lists.ts';
import { responseRequest } from '../api-oracle/routes.ts';
import { loadWorld, type WireRecord } from '../api-oracle/world.ts';
import { listen } from '../support/api/listen.ts';
import { pageList } from '../support/api/lists.ts';
import { useApi } from '../support/api/use-api.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { listedMany } from '../worlds/listed-many.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const [FIRST, SECOND] = ['2026-06-01', '2026-06-02'];
const TODAY = '2026-06-03';

const LISTS = ['models', 'benchmarks', 'scores', 'rankings'] as const;
type ListRoute = (typeof LISTS)[number];

/** Random requests for lists; more in `make test-long`. */
const REQUESTS = process.env['LISTS'] === 'all' ? 300 : 20;

/** Lists that are read across a publication. */
const WALKS: readonly (readonly [route: ListRoute, query: Parameters])[] = [
  ...['model_id', 'value', '-value', '-measured_at'].map((sort) => ['scores', { sort }] as const),
  ['scores', { source: 'official', sort: 'value' }],
  ...['id', '-name', 'release_date', '-release_date', '-context_length', 'updated_at'].map(
    (sort) => ['models', { sort }] as const,
  ),
  ['models', { q: 'M-', sort: 'name' }],
  ...['m', 'OPENROUTER', '1', 'é'].map((q) => ['models', { q, sort: 'relevance' }] as const),
  ['benchmarks', { category: 'c' }],
  ['rankings', { category: 'c' }],
  ['rankings', { category: 'C' }],
];

/** At the edges of values that there are. */
const FILTERED: typeof WALKS = [
  ['scores', { min_value: '3', max_value: '3', source: 'Official' }],
  ['scores', { min_value: '-1e300', max_value: '-1e300', sort: 'value' }],
  ['scores', { measured_before: '2026-01-03', benchmark: 'Bench 3' }],
  ['scores', { measured_after: '2026-01-04', measured_before: '2026-01-04', min_value: '0.1', sort: '-measured_at' }],
  ['scores', { model: 'é3', min_value: '1' }],
  ['scores', { model: 'nobody' }],
  ['models', { min_context: '8000', provider: 'p1' }],
  ['models', { released_after: '2026-01-05' }],
  ['models', { released_before: '2026-01-05', organization: 'X' }],
  ['models', { max_input_price: '1', max_output_price: '3' }],
  ['models', { q: 'm', sort: 'relevance', provider: 'p1', max_input_price: '1' }],
  ['models', { q: 'alpha', sort: 'relevance', min_context: '8000' }],
];

const LIMITS_MAX: Readonly<Record<ListRoute, number>> = { models: 200, benchmarks: 200, scores: 500, rankings: 50 };

describe('lists of more records than are read at once', () => {
  const folder = useFolder();
  const api = useApi({
    days: async (store) => {
      await writeDay(folder(FIRST), listedMany(1));
      await writeDay(folder(SECOND), listedMany(2));
      await store.night(folder(), FIRST);
    },
    now: `${TODAY}T12:00:00Z`,
    follower: { duckdb: { memoryLimit: '500MB', threads: 3 } },
  });
  let client: Client;
  let states: readonly [ApiState, ApiState];

  beforeAll(async () => {
    const stateOf = (days: readonly string[]): ApiState => {
      return { world: loadWorld(folder(), { days, acceptedDays: days }), stored: new Map(), today: TODAY };
    };
    states = [stateOf([FIRST]), stateOf([FIRST, SECOND])];
    client = createClient(await listen(api.app));
  });

  const rowsOf = (state: ApiState, route: ListRoute, query: Parameters) => {
    const expected = responseRequest(state, { route, params: {}, query });
    if (expected.kind !== 'list') throw new Error(`${route} is answered with ${expected.kind}`);
    return expected.rows;
  };

  /** Those behind the place that a model had before the second night. */
  const lessRelevant = (rows: readonly WireRecord[], { q = '' }: Parameters, last: WireRecord) => {
    const place = relevancePlace(last, states[0].world, q);
    return rows.filter((row) => {
      const order = comparePlaces(relevancePlace(row, states[1].world, q), place);
      return order > 0 || (order === 0 && compareText(String(row['id']), String(last['id'])) > 0);
    });
  };

  test('hold enough, with ties and missing values', () => {
    const rows = rowsOf(states[0], 'scores', {});
    expect(rows.length).toBeGreaterThan(2 * 8192);
    expect(rows.filter(({ measured_at: day }) => day === null).length).toBeGreaterThan(1000);
  });

  test.each([...WALKS, ...FILTERED])(
    '%s %j are answered as an independent reading does, from the first page to the last',
    async (route, query) => {
      const limit = Math.min(LIMITS_MAX[route], Math.ceil(rowsOf(states[0], route, query).length / 9) || 1);
      const request = { route, params: {}, query: { ...query, limit: String(limit) } };
      expect(await compareRequest(client, states[0], request)).toBeUndefined();
    },
  );

  test('so are random ones', async () => {
    const options = { seed: 1, count: REQUESTS, routes: LISTS, differencesMax: 3 };
    expect(await checkApi(client, states[0], options)).toEqual([]);
  });

  test('go on behind the last record of a page when another night was published meanwhile', async () => {
    const begun = await Promise.all(
      WALKS.map(async ([route, query]) => {
        const rows = rowsOf(states[0], route, query);
        const limit = Math.min(LIMITS_MAX[route], Math.max(1, Math.floor(rows.length / 3)));
        const path = `/v1/${route}?${new URLSearchParams({ ...query, limit: String(limit) })}`;
        const body = await api.json(path);
        return { route, query, path, cursor: body['next_cursor'], last: rows[limit - 1] };
      }),
    );
    expect((await api.store.night(folder(), SECOND, { accept: true })).status).toBe('published');
    await api.follower.refresh();
    expect(api.follower.current().newest.day).toBe(SECOND);
    for (const { route, query, path, cursor, last } of begun) {
      if (typeof cursor !== 'string' || last === undefined) throw new Error(`${path} has one page`);
      const sort = route === 'rankings' ? 'rank' : (query['sort'] ?? 'id');
      const rows = rowsOf(states[1], route, query);
      const expected = sort === 'relevance' ? lessRelevant(rows, query, last) : laterRows(route, rows, { sort, last });
      const sent = await pageList(api, path, { from: cursor, pagesMax: 4 });
      expect(sent.length, path).toBeGreaterThan(0);
      expect(sent, path).toEqual(expected.slice(0, sent.length));
    }
  });
});
