/**
 * Lists over small random days, against an independent reading: every combination of filters, page by page; over a publication; and
 * with every plan that finds scores.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ScoreCounts } from '../../api/data/queries/score-counts.ts';
import { View } from '../../api/view/view.ts';
import { addDays, type Day } from '../../runtime/day.ts';
import { type Client, parseJson } from '../api-oracle/client.ts';
import { compareRequest } from '../api-oracle/compare/compare.ts';
import { describeDifference } from '../api-oracle/compare/difference.ts';
import type { ApiState } from '../api-oracle/expected.ts';
import { laterRows } from '../api-oracle/order.ts';
import type { Parameters } from '../api-oracle/route.ts';
import { responseRequest } from '../api-oracle/routes.ts';
import { loadWorld, type WireRecord } from '../api-oracle/world.ts';
import { pageList } from '../support/api/lists.ts';
import { useApi } from '../support/api/use-api.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { type Chooser, createChooser } from '../support/random.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { LISTED_FEW_SETTINGS, listedFew } from '../worlds/listed-few.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const SEED = Number(process.env['LISTS_SEED'] ?? 1);
/** More in `make test-long`: worlds, and of each the part of the combinations of filters that is tried. */
const PART = process.env['LISTS'] === 'all' ? 1 : 0.5;
const WORLDS = process.env['LISTS'] === 'all' ? 21 : 3;
const DAYS = Array.from({ length: WORLDS }, (_, at) => addDays('2026-06-01', at));
const TODAY = addDays('2026-06-01', WORLDS + 1);

type Choose<T> = (choose: Chooser, state: ApiState) => T;

interface List {
  readonly route: 'models' | 'benchmarks' | 'scores' | 'rankings';
  /** Of each filter, a value that a record has, or one beside it. */
  readonly filters: Readonly<Record<string, Choose<string>>>;
  /** Undefined: there is one order. */
  readonly sorts: readonly (string | undefined)[];
  readonly limitMax: number;
}

type Column = readonly [dataset: List['route'] | 'pricing', column: string];

function pickFrom([dataset, column]: Column, others: readonly string[]): Choose<string> {
  return (choose, { world }) => {
    const values = world.current[dataset].flatMap((record) => record[column] ?? []).map(String);
    return choose.chance(0.15) ? choose.pick(others) : choose.pick(values.length > 0 ? values : others);
  };
}

function dayNear(column: Column): Choose<string> {
  return (choose, state) => addDays(pickFrom(column, ['2026-01-02'])(choose, state), choose.pick([-1, 0, 0, 1]));
}

/** Some characters of what a model is called, now and then in another case. */
const partOfName: Choose<string> = (choose, { world }) => {
  const names = [
    ...world.current.models.flatMap(({ id, name }) => [String(id), String(name)]),
    ...world.aliases.map(({ id }) => id),
  ];
  const characters = [...choose.pick(names)];
  const from = choose.integer(0, characters.length - 1);
  const part = characters.slice(from, from + choose.pick([1, 1, 2, 5, 200])).join('');
  return [...choose.pick([part, part, part.toUpperCase(), part.toLowerCase()])].slice(0, 200).join('');
};

const aliasOf: Choose<string> = (choose, { world }) => {
  const ids = world.current.models.map(({ id }) => String(id));
  return choose.pick([...ids, ...world.aliases.flatMap(({ id }) => [id, id]), 'nobody']);
};

const LISTS: readonly List[] = [
  {
    route: 'scores',
    filters: {
      model: pickFrom(['scores', 'model_id'], ['nobody', 'a']),
      benchmark: pickFrom(['scores', 'benchmark_id'], ['none', 'code']),
      source: pickFrom(['scores', 'source'], ['none', 'official']),
      min_value: pickFrom(['scores', 'value'], ['0', '-1e300', '0.30000000000000001']),
      max_value: pickFrom(['scores', 'value'], ['0', '1e308', '0.30000000000000004']),
      measured_after: dayNear(['scores', 'measured_at']),
      measured_before: dayNear(['scores', 'measured_at']),
    },
    sorts: ['model_id', 'value', '-value', '-measured_at'],
    limitMax: 500,
  },
  {
    route: 'models',
    filters: {
      q: partOfName,
      alias: aliasOf,
      organization: pickFrom(['models', 'organization'], ['x', 'none']),
      provider: pickFrom(['models', 'inference'], ['p1', 'none']),
      min_context: pickFrom(['models', 'context_length'], ['0', '8001']),
      released_after: dayNear(['models', 'release_date']),
      released_before: dayNear(['models', 'release_date']),
      max_input_price: pickFrom(['pricing', 'input_per_million'], ['0', '1.5']),
      max_output_price: pickFrom(['pricing', 'output_per_million'], ['0', '3.5']),
    },
    sorts: ['id', 'name', 'release_date', 'context_length', 'updated_at'].flatMap((sort) => [sort, `-${sort}`]),
    limitMax: 200,
  },
  {
    route: 'benchmarks',
    filters: { category: pickFrom(['benchmarks', 'category'], ['c']) },
    sorts: [undefined],
    limitMax: 200,
  },
];

interface Request {
  readonly route: List['route'];
  readonly query: Parameters;
}

/** One request for each combination of filters, with each order in turn and pages of each size, whole lists among them. */
function* requestsFor({ route, filters, sorts, limitMax }: List, choose: Chooser, state: ApiState): Iterable<Request> {
  const names = Object.keys(filters);
  for (let combination = 0; combination < 2 ** names.length; combination += 1) {
    if (!choose.chance(PART)) continue;
    const chosen = Object.entries(filters).filter((_, at) => (combination >> at) % 2 === 1);
    // All orders of the lists with few filters: the others have few records.
    const orders = chosen.length <= 1 ? sorts : [choose.pick(sorts)];
    for (const sort of orders) {
      const values = Object.fromEntries(chosen.map(([name, pick]) => [name, pick(choose, state)]));
      const limit = String(choose.pick([1, 2, 3, 5, limitMax]));
      yield { route, query: { ...values, ...(sort !== undefined && { sort }), limit } };
    }
  }
}

function* rankingRequests({ world }: ApiState): Iterable<Request> {
  for (const category of new Set(world.current.rankings.map((ranking) => String(ranking['category'])))) {
    for (const limit of ['1', '3', '50']) yield { route: 'rankings', query: { category, limit } };
  }
}

function allRequests(choose: Chooser, state: ApiState): readonly Request[] {
  return [...LISTS.flatMap((list) => [...requestsFor(list, choose, state)]), ...rankingRequests(state)];
}

const folder = useFolder();
const api = useApi({
  days: async (store) => {
    const worlds = fc.sample(listedFew, { seed: SEED, numRuns: WORLDS });
    await mkdir(folder(), { recursive: true });
    await writeFile(folder('source.json'), JSON.stringify(LISTED_FEW_SETTINGS));
    for (const [at, day] of DAYS.entries()) {
      await writeDay(folder(day), worlds[at]?.rows ?? {});
      await writeFile(folder(day, 'aliases.csv'), worlds[at]?.aliases ?? '');
    }
    await store.night(folder(), DAYS[0] ?? '', { accept: true });
  },
  now: `${TODAY}T12:00:00Z`,
  settings: { cacheBytes: 1 },
});

function stateOn(day: Day): ApiState {
  const days = DAYS.filter((each) => each <= day);
  return { world: loadWorld(folder(), { days, acceptedDays: DAYS }), stored: new Map(), today: TODAY };
}

const client: Client = {
  send: async (url) => {
    const { statusCode, headers, body } = await api.get(url);
    return {
      status: statusCode,
      headers: new Headers(headers as Record<string, string>),
      text: body,
      body: parseJson(body),
    };
  },
  download: () => Promise.reject(new Error('lists have nothing to download')),
};

/** What the API sends otherwise than the oracle does, as a person reads it. */
async function differencesOf(state: ApiState, requests: readonly Request[]): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const { route, query } of requests) {
    const difference = await compareRequest(client, state, { route, params: {}, query });
    if (difference !== undefined) differences.push(describeDifference(difference));
    if (differences.length === 3) break;
  }
  return differences;
}

const SCORE_INDEXES = [
  ...[
    'sqlite_autoindex_scores_1',
    'scores_value',
    'scores_measured_at',
    'scores_source',
    'scores_benchmark',
    'scores_benchmark_value',
  ],
];

/** Finds each page of scores by every index, and counts the pages by the index that was chosen. */
function tryEveryIndex(): ReadonlyMap<string, number> {
  const chosen = new Map<string, number>();
  const { rows } = View.prototype;
  vi.spyOn(View.prototype, 'rows').mockImplementation(function (this: View, sql, values) {
    const found = rows.call(this, sql, values);
    const index = /INDEXED BY (\w+)/.exec(sql)?.[1];
    if (index === undefined) return found;
    chosen.set(index, (chosen.get(index) ?? 0) + 1);
    for (const other of SCORE_INDEXES) {
      expect(rows.call(this, sql.replace(index, other), values), `${sql} by ${other}`).toEqual(found);
    }
    return found;
  });
  return chosen;
}

afterEach(() => void vi.restoreAllMocks());

describe.each(DAYS.slice(1).map((next, at) => ({ day: DAYS[at] ?? '', next, at })))(
  'as of $day',
  ({ day, next, at }) => {
    const choose = createChooser(SEED * 1000 + at);
    let state: ApiState;
    beforeAll(() => {
      state = stateOn(day);
    });

    test('every combination of filters is answered as the oracle does, by every index', async () => {
      expect(api.follower.current().newest.day).toBe(day);
      const chosen = tryEveryIndex();
      expect(await differencesOf(state, allRequests(choose, state))).toEqual([]);
      expect([...chosen.keys()].sort()).toEqual([...SCORE_INDEXES].sort());
    });

    test('pages that take long to find are the same, and found in a thread', async () => {
      const { count } = ScoreCounts.prototype;
      const isSearch = (range: object) => 'order' in range;
      vi.spyOn(ScoreCounts.prototype, 'count').mockImplementation(function (this: ScoreCounts, range) {
        // Only the total is of a whole search; all others estimate what finding a page takes.
        return (isSearch(range) ? 1 : 1e6) * count.call(this, range);
      });
      const inThread = vi.spyOn(View.prototype, 'rowsInThread');
      for (const sort of ['model_id', 'value', '-value', '-measured_at']) {
        for (const filters of [{}, { source: 'official' }, { min_value: '0' }, { measured_after: '2026-01-02' }]) {
          const query = { ...filters, sort };
          inThread.mockClear();
          const sent = await pageList(api, `/v1/scores?${new URLSearchParams({ ...query, limit: '7' })}`);
          const expected = rowsOf(state, { route: 'scores', query });
          expect(sent, JSON.stringify(query)).toEqual(expected);
          if (expected.length > 0)
            expect(inThread.mock.calls.length).toBeGreaterThanOrEqual(Math.ceil(expected.length / 7));
        }
      }
    });

    test('lists go on where they were after the next release, whatever is gone', async () => {
      const requests = allRequests(choose, state)
        .filter(({ query }) => Object.keys(query).length <= 3)
        .map(({ route, query }) => ({ route, query: { ...query, limit: '2' } }));
      const begun: Begun[] = [];
      for (const request of requests) begun.push(...(await begin(state, request)));
      expect((await api.store.night(folder(), next, { accept: true })).status).toBe('published');
      await api.follower.refresh();
      const nextState = stateOn(next);
      let gone = 0;
      for (const { request, cursor, last } of begun) {
        const { route, query } = request;
        const all = rowsOf(nextState, request);
        const sort = route === 'rankings' ? 'rank' : (query['sort'] ?? 'id');
        const expected = laterRows(route, all, { sort, last });
        const sent = await pageList(api, pathOf(request), { from: cursor });
        expect(sent, `${pathOf(request)} after ${JSON.stringify(last)}`).toEqual(expected);
        if (!all.some((row) => keyOf(row) === keyOf(last))) gone += 1;
      }
      expect(gone).toBeGreaterThan(begun.length / 10);
    });
  },
);

interface Begun {
  readonly request: Request;
  readonly cursor: string;
  /** The record that the cursor was given after. */
  readonly last: WireRecord;
}

/** The cursors of all pages of a list, of two records each. */
async function begin(state: ApiState, request: Request): Promise<readonly Begun[]> {
  const lasts = rowsOf(state, request)
    .slice(0, -1)
    .filter((_, place) => place % 2 === 1);
  const begun: Begun[] = [];
  let path = pathOf(request);
  for (const last of lasts) {
    const cursor = String((await api.json(path))['next_cursor']);
    begun.push({ request, cursor, last });
    path = `${pathOf(request)}&cursor=${cursor}`;
  }
  return begun;
}

function rowsOf(state: ApiState, { route, query }: Request): readonly WireRecord[] {
  const expected = responseRequest(state, { route, params: {}, query });
  return expected.kind === 'list' ? expected.rows : [];
}

function pathOf({ route, query }: Request): string {
  return `/v1/${route}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;
}

function keyOf({ id, model_id: model, benchmark_id: benchmark, category }: WireRecord): string {
  return JSON.stringify([id ?? model, benchmark ?? null, model === undefined ? null : category]);
}
