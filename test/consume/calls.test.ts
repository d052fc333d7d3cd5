/** What each call sends, held to the service's own description of its routes. */
import { expect, test } from 'vitest';
import { openApiDocument } from '../../api/data/openapi/openapi-document.ts';
import { DATA_ROUTES, V1_ROUTES } from '../../api/data/routes/data-routes.ts';
import { Calls } from '../../client/calls.ts';
import { type Answer, ModelstatsClient } from '../../client/client.ts';
import type { ChangeFilters, Page, RankingsHistoryFilters, SnapshotFilters } from '../../client/filters.ts';
import { Documented, type DocumentedOperation, type DocumentedParameter } from '../support/api/documented.ts';
import { json, useAnsweringServer } from '../support/client/answering-server.ts';
import { isCalled, OWN_CALLS } from '../support/client/client-calls.ts';

const document = JSON.parse(JSON.stringify(openApiDocument(DATA_ROUTES, { serverUrl: '', hasLimits: true })));
const documented = new Documented(document, { isClosed: false });
const operations = documented.operations.filter(({ path }) => isCalled(path));

const PAGE: Required<Page> = { limit: 7, cursor: 'abc' };
const RANGE = { from: '2026-06-01', to: '2026-06-02' };
const POSITIONS: Required<RankingsHistoryFilters> = { top: 5, ...RANGE };
const CHANGES: Required<ChangeFilters> = { entity_type: 'score', ...PAGE };
const VERSION: Required<SnapshotFilters> = { schema_version: '1.0' };
const ODD = '@cf/müller & co/100%:x+y';

interface Call {
  readonly call: (client: ModelstatsClient) => Promise<Answer<object>>;
  /** What stands in the path, by its place there. */
  readonly path?: readonly string[];
  readonly query: object;
}

/** Calls with a form of their own, by operation, with everything that their filters can hold. */
const OWN: Readonly<Record<string, Call>> = {
  listRankings: { call: (client) => client.getRankings('a/b', PAGE), query: { category: 'a/b', ...PAGE } },
  getRankingsHistory: {
    call: (client) => client.getRankingsHistory('a/b', POSITIONS),
    query: { category_id: 'a/b', ...POSITIONS },
  },
  downloadSnapshot: {
    call: (client) => client.getDownload('2026-06-01', 'scores', VERSION),
    path: ['2026-06-01'],
    query: { dataset: 'scores', ...VERSION },
  },
  listChanges: { call: (client) => client.getChanges(CHANGES), query: CHANGES },
};

/** The client follows no redirect and reads JSON only, so it asks for neither. */
const LEFT_OUT = ['redirect', 'format'];

/** A value that the document allows a parameter, as odd as can be. */
function oddValue({ schema, example }: DocumentedParameter): unknown {
  const values = [true, -1e-7, 1e-7, 7, ODD, ...[schema['enum'] ?? []].flat(), example];
  return values.find((value) => documented.problems(schema, value).length === 0);
}

/** A call that is made of the document, with odd values. */
function generatedCall({ operationId, parameters }: DocumentedOperation): Call {
  const valuesIn = (place: string) =>
    parameters
      .filter((one) => one.in === place && !LEFT_OUT.includes(one.name))
      .map((one) => [one.name, oddValue(one)] as const);
  const path = valuesIn('path').map(([, value]) => String(value));
  const query = Object.fromEntries(valuesIn('query'));
  const given = Object.keys(query).length === 0 ? path : [...path, query];
  const call: Call['call'] = (client) => Reflect.get(client, operationId).apply(client, given);
  return { call, path, query };
}

const server = useAnsweringServer();

test('every route has a call, and its calls are those that are tried here', () => {
  expect(operations.map(({ path }) => path)).toEqual(V1_ROUTES.map(({ name }) => name).filter(isCalled));
  expect(Object.keys(OWN)).toEqual(Object.keys(OWN_CALLS));
  const methods = [ModelstatsClient, Calls].flatMap((one) =>
    Object.getOwnPropertyNames(one.prototype).filter((name) => /^(get|list|resolve)[A-Z]/.test(name)),
  );
  expect(operations.map(({ operationId }) => OWN_CALLS[operationId] ?? operationId).sort()).toEqual(methods.sort());
});

test.each(operations.map((operation) => [operation.path, operation] as const))(
  'the call of %s can send every parameter that the service has, as it wants them',
  async (route, operation) => {
    const { call, path = [], query } = OWN[operation.operationId] ?? generatedCall(operation);
    server.answer(json({}));
    await call(new ModelstatsClient({ url: `${server.url}/base/`, key: 'k' }));
    const sent = new URL(server.requests[0]?.url ?? '', server.url);
    const left = [...path];
    const filled = route.replaceAll(/\{\w+\}/g, () => encodeURIComponent(left.shift() ?? ''));
    expect(sent.pathname).toBe(`/base${filled}`);
    const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
    expect(Object.fromEntries(sent.searchParams)).toEqual(Object.fromEntries(given));

    const parameters = operation.parameters.filter((one) => one.in === 'query');
    const names = parameters.map(({ name }) => name);
    expect(Object.keys(query).sort()).toEqual(names.filter((name) => !LEFT_OUT.includes(name)).sort());
    for (const [name, value] of Object.entries(query)) {
      const { schema = {} } = parameters.find((one) => one.name === name) ?? {};
      expect(documented.problems(schema, value), `${name} is ${value}`).toEqual([]);
    }
  },
);
