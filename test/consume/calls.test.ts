/** What each call sends, held to the service's own description of its routes. */
import { describe, expect, test } from 'vitest';
import { V1_ROUTES } from '../../api/data/routes/data-routes.ts';
import { type Answer, ModelstatsClient } from '../../client/client.ts';
import type {
  BenchmarkFilters,
  ChangeFilters,
  ModelFilters,
  ModelHistoryFilters,
  Page,
  RankingsHistoryFilters,
  ScoreFilters,
  SnapshotFilters,
  UpdateFilters,
} from '../../client/filters.ts';
import { Documented, type DocumentedParameter } from '../support/api/documented.ts';
import { useApi } from '../support/api/use-api.ts';
import { json, useAnsweringServer } from '../support/client/answering-server.ts';

const PAGE: Required<Page> = { limit: 7, cursor: 'abc' };
const RANGE = { from: '2026-06-01', to: '2026-06-02' };
const MODELS: Required<ModelFilters & Page> = {
  q: 'a b',
  alias: 'a/b:c',
  organization: 'Élan & Co',
  provider: 'cirrus',
  min_context: 1000,
  released_after: '2025-01-01',
  released_before: '2026-01-01',
  max_input_price: 0.5,
  max_output_price: 1e-7,
  sort: '-release_date',
  ...PAGE,
};
const SCORES: Required<ScoreFilters & Page> = {
  model: '@cf/a%b',
  benchmark: 'b+c',
  source: 'official',
  min_value: -1,
  max_value: 2,
  measured_after: '2025-01-01',
  measured_before: '2026-01-01',
  sort: '-value',
  ...PAGE,
};
const BENCHMARKS: Required<BenchmarkFilters & Page> = { category: 'code', ...PAGE };
const UPDATES: Required<UpdateFilters & Page> = { days: 3, ...PAGE };
const HISTORY: Required<ModelHistoryFilters> = {
  kind: 'score',
  benchmark_id: 'b',
  category_id: 'c',
  provider: 'p',
  ...RANGE,
};
const POSITIONS: Required<RankingsHistoryFilters> = { top: 5, ...RANGE };
const CHANGES: Required<ChangeFilters> = { entity_type: 'score', ...PAGE };
const VERSION: Required<SnapshotFilters> = { schema_version: '1.0' };
const ID = '@cf/müller/100%:x y';

interface Call {
  readonly call: (client: ModelstatsClient) => Promise<Answer<object>>;
  /** What stands in the path, by its place there. */
  readonly path?: string;
  readonly query: object;
}

/** A call per route, with everything that its filters can hold. */
const CALLS: Readonly<Record<string, Call>> = {
  '/v1/models': { call: (client) => client.listModels(MODELS), query: MODELS },
  '/v1/models/{id}': { call: (client) => client.getModel(ID), path: ID, query: {} },
  '/v1/benchmarks': { call: (client) => client.listBenchmarks(BENCHMARKS), query: BENCHMARKS },
  '/v1/scores': { call: (client) => client.listScores(SCORES), query: SCORES },
  '/v1/rankings': { call: (client) => client.getRankings('a/b', PAGE), query: { category: 'a/b', ...PAGE } },
  '/v1/updates': { call: (client) => client.listUpdates(UPDATES), query: UPDATES },
  '/v1/categories': { call: (client) => client.listCategories(), query: {} },
  '/v1/sources': { call: (client) => client.listSources(), query: {} },
  '/v1/models/{model_id}/history': { call: (client) => client.getModelHistory(ID, HISTORY), path: ID, query: HISTORY },
  '/v1/rankings/history': {
    call: (client) => client.getRankingsHistory('a/b', POSITIONS),
    query: { category_id: 'a/b', ...POSITIONS },
  },
  '/v1/snapshots': { call: (client) => client.listSnapshots(VERSION), query: VERSION },
  '/v1/snapshots/{snapshot_id}/download': {
    call: (client) => client.getDownload('2026-06-01', 'scores', VERSION),
    path: '2026-06-01',
    query: { dataset: 'scores', ...VERSION },
  },
  '/v1/changes': { call: (client) => client.getChanges(CHANGES), query: CHANGES },
  '/v1/account': { call: (client) => client.getAccount(), query: {} },
};

/** The client follows no redirect, so it asks for none. */
const LEFT_OUT = ['redirect'];

const server = useAnsweringServer();
const api = useApi({ days: ['2026-06-01'] });

test('every route has a call, and its calls are those that are tried here', () => {
  expect(Object.keys(CALLS)).toEqual(V1_ROUTES.map(({ name }) => name));
  const methods = Object.getOwnPropertyNames(ModelstatsClient.prototype).filter((name) =>
    /^(get|list)[A-Z]/.test(name),
  );
  const tried = Object.values(CALLS).map(({ call }) => /client\.(\w+)/.exec(String(call))?.[1]);
  expect([...tried].sort()).toEqual(methods.sort());
});

describe.each(Object.entries(CALLS))('the call of %s', (route, { call, path, query }) => {
  test('can send every parameter that the service has, as it wants them', async () => {
    server.answer(json({}));
    await call(new ModelstatsClient({ url: `${server.url}/base/`, key: 'k' }));
    const sent = new URL(server.requests[0]?.url ?? '', server.url);
    expect(sent.pathname).toBe(`/base${route.replace(/\{\w+\}/, encodeURIComponent(path ?? ''))}`);
    const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
    expect(Object.fromEntries(sent.searchParams)).toEqual(Object.fromEntries(given));

    const documented = new Documented(await api.json('/openapi.json'), { isClosed: false });
    const parameters = documented.operations.find((operation) => operation.path === route)?.parameters ?? [];
    const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
    expect(Object.keys(query).sort()).toEqual(names.filter((name) => !LEFT_OUT.includes(name)).sort());
    for (const [name, value] of Object.entries(query)) {
      const { schema = {} } = parameters.find((one): one is DocumentedParameter => one.name === name) ?? {};
      expect(documented.problems(schema, value), `${name} is ${value}`).toEqual([]);
    }
  });
});
