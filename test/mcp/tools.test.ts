/** What every tool answers: exactly what its route does, with both eras of clients, which check it against the tool's schema. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CapabilityStates } from '../../api/data/access/rights.ts';
import { ErrorBodySchema } from '../../api/data/api-errors.ts';
import { HOW_TO_USE } from '../../api/mcp/tool-text.ts';
import { listen } from '../support/api/listen.ts';
import { openApi } from '../support/api/open-api.ts';
import { bearer } from '../support/api/test-accounts.ts';
import { connect, ERAS } from '../support/mcp/clients.ts';
import { LIST_TOOLS, sendMessage, toolCall } from '../support/mcp/messages.ts';
import { useMcp, withMcp } from '../support/mcp/use-mcp.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';

const mcp = useMcp();

const AURORA = { model: 'aurora-2' };
const HISTORY = '/v1/models/aurora-2/history';
const RANKS = '/v1/rankings';
const LONG = 'x'.repeat(201);

/** What is typical, and what finds nothing. */
const CASES: readonly (readonly [tool: string, args: Record<string, unknown>, path: string, says: RegExp])[] = [
  [
    'resolve-model',
    { name: 'x/AURORA 2' },
    '/v1/resolve?name=x/AURORA+2',
    /^2 matches for x\/AURORA 2, data as of .*\nid \| name/,
  ],
  ['resolve-model', { name: 'nobody at all' }, '/v1/resolve?name=nobody+at+all', /^No model matches nobody at all/],
  [
    'list-models',
    { q: 'AURORA', limit: 2 },
    '/v1/models?q=AURORA&sort=relevance&limit=2',
    /^2 of \d+ models, data as of 2026-06-03/,
  ],
  ['list-models', { q: 'nobody', sort: 'id' }, '/v1/models?q=nobody', /No models match/],
  [
    'get-model',
    { model: 'aurora-2' },
    '/v1/models/aurora-2',
    /output \(per million tokens\) \| currency .* other rates/,
  ],
  ['list-benchmarks', {}, '/v1/benchmarks', /reason-bench/],
  ['list-benchmarks', { category: 'none' }, '/v1/benchmarks?category=none', /No benchmarks match/],
  ['list-scores', { model: 'aurora-2', sort: '-value' }, '/v1/scores?model=aurora-2&sort=-value', /last page/],
  ['list-scores', { model: 'nobody', min_value: null }, '/v1/scores?model=nobody', /No scores match/],
  [
    'list-prices',
    { sort: '-price', limit: 2 },
    '/v1/pricing?sort=-price&limit=2',
    /model \| provider \| input \(per million tokens\) .*\n.* \| JPY \|/,
  ],
  ['list-prices', { meter: 'search' }, '/v1/pricing?meter=search', /No prices match/],
  ['list-lifecycle', { model: 'aurora-2', days: 30 }, '/v1/lifecycle?model=aurora-2&days=30', /No dates match/],
  ['get-rankings', { category: 'general' }, `${RANKS}?category=general`, /rank \| skill \| uncertainty/],
  ['list-updates', { days: 30 }, '/v1/updates?days=30', /new models/],
  [
    'get-history',
    { ...AURORA, kind: 'pricing' },
    `${HISTORY}?kind=pricing`,
    /output \(per million tokens\) \| currency .*\n.* \| USD \|/,
  ],
  ['get-history', { ...AURORA, kind: 'score' }, `${HISTORY}?kind=score`, /benchmark/],
  ['get-history', { ...AURORA, kind: 'ranking' }, `${HISTORY}?kind=ranking`, /models ranked/],
  ['get-history', { ...AURORA, kind: 'metadata' }, `${HISTORY}?kind=metadata`, /record/],
  [
    'get-history',
    { ...AURORA, kind: 'score', from: '2026-06-04' },
    `${HISTORY}?kind=score&from=2026-06-04`,
    /No points/,
  ],
  ['get-rankings-history', { category: 'general', top: 1 }, `${RANKS}/history?category_id=general&top=1`, /rank/],
  [
    'get-cost',
    { model: 'aurora-2', quantities: { input: 1000, output: 200 } },
    '/v1/cost?model=aurora-2&input=1000&output=200',
    /^0\.005 USD for aurora-2 at .*\n.*\ninput \| 1000 \| 2\.5 \| 1000000 token \| - \| 0\.0025 \| conditions/,
  ],
  [
    'get-cost',
    { model: 'aurora-2', quantities: { input: null, output: 200, search: null } },
    '/v1/cost?model=aurora-2&input=0&output=200',
    /output \| 200/,
  ],
  ['list-snapshots', {}, '/v1/snapshots', /get-snapshot-file/],
  [
    'get-snapshot-file',
    { snapshot_id: '2026-06-03', dataset: 'models' },
    '/v1/snapshots/2026-06-03/download?dataset=models',
    /valid until/,
  ],
  ['get-changes', { limit: 3 }, '/v1/changes?limit=3', /There is more: call again with cursor/],
  ['get-changes', { entity_type: 'pricing' }, '/v1/changes?entity_type=pricing', /This is the last page/],
];

describe.each(ERAS)('a client of the %s era', (era) => {
  test.each(CASES)('gets of %s %o what %s answers', async (tool, args, path, says) => {
    const { client, customer } = await mcp.connect({ era });
    const { text, data, isError } = await client.call(tool, args);
    expect(isError, text).toBe(false);
    const answer = await fetch(new URL(path, mcp.url), { headers: bearer(customer.key) });
    expect(data).toEqual(await answer.json());
    expect(text).toMatch(says);
  });

  test.each([
    ['list-models', { limit: 0 }, '/v1/models?limit=0'],
    ['list-models', { sort: 'x', released_after: 'y' }, '/v1/models?sort=x&released_after=y'],
    ['get-rankings', {}, '/v1/rankings'],
    ['get-model', { model: 'nobody' }, '/v1/models/nobody'],
    ['get-history', { model: 'nobody', kind: 'score' }, '/v1/models/nobody/history?kind=score'],
    ['get-changes', { cursor: '!' }, '/v1/changes?cursor=!'],
    ['resolve-model', { name: '', limit: 21 }, '/v1/resolve?name=&limit=21'],
    ['list-models', { sort: 'relevance' }, '/v1/models?sort=relevance'],
    [
      'get-history',
      { model: 'aurora-2', kind: 'score', benchmark: LONG },
      `${HISTORY}?kind=score&benchmark_id=${LONG}`,
    ],
    [
      'get-cost',
      { model: 'aurora-2', quantities: { output: 1, cache_read: 5 } },
      '/v1/cost?model=aurora-2&input=0&output=1&cache_read=5',
    ],
    ['get-cost', { model: 'aurora-2', quantities: { input: -1 } }, '/v1/cost?model=aurora-2&input=-1'],
    [
      'get-cost',
      { model: 'aurora-2', quantities: { output: 1.5, search: 'x' } },
      '/v1/cost?model=aurora-2&input=0&output=1.5&search=x',
    ],
  ])('is refused %s %o as %s is', async (tool, args, path) => {
    const { client, customer } = await mcp.connect({ era });
    const { text, data, isError } = await client.call(tool, args);
    const told = (await mcp.api.ask(customer, path)).json();
    expect(isError).toBe(true);
    expect(withoutRequest(data)).toEqual(inArguments(withoutRequest(told), Object.keys(Object(args).quantities ?? {})));
    expect(text).toContain(JSON.stringify(data));
  });

  test('gets the account, which says that it came over MCP', async () => {
    const { client, customer } = await mcp.connect({ era });
    const { data, text } = await client.call('get-account');
    expect(data).toEqual({ ...(await mcp.api.accountOf(customer)), client_source: 'mcp_api_key' });
    expect(text).toMatch(/^Plan Commercial/);
    expect(text).toContain('History: full, back to the first day.');
  });
});

/** Arguments by parameters that have another name. */
const PRESENT_NAMES: Readonly<Record<string, string>> = {
  id: 'model',
  model_id: 'model',
  benchmark_id: 'benchmark',
  category_id: 'category',
};

/** Problems of parameters as those of arguments, and of meters as those of quantities. */
function inArguments(body: unknown, meters: readonly string[]): unknown {
  const { detail } = Object(body);
  if (detail === undefined) return { ...Object(body), param: PRESENT_NAMES[Object(body).param] ?? Object(body).param };
  return {
    detail: detail.map(({ loc: [, name = ''], ...problem }: { loc: string[] }) => ({
      ...problem,
      loc: ['arguments', ...(meters.includes(name) ? ['quantities'] : []), PRESENT_NAMES[name] ?? name],
    })),
  };
}

/** Of an envelope, all but what belongs to the one request. */
function withoutRequest(body: Readonly<Record<string, unknown>>): unknown {
  const error = body['error'];
  if (error === undefined) return body;
  return { ...Object(error), request_id: undefined, help_url: undefined };
}

test('an argument that a tool has not is refused, and named', async () => {
  const { client } = await mcp.connect();
  const { isError, data } = await client.call('list-models', { org: 'x' });
  expect(isError).toBe(true);
  expect(data).toMatchObject({ detail: [{ loc: ['arguments', 'org'], type: 'extra_forbidden' }] });
});

test('one thing has one name in the arguments of all tools', async () => {
  const { client } = await mcp.connect();
  const names = (await client.listTools()).flatMap(({ inputSchema }) => Object.keys(Object(inputSchema).properties));
  expect(names.filter((name) => name in PRESENT_NAMES || name === 'ids')).toEqual([]);
  expect(names).toEqual(
    expect.arrayContaining(['model', 'models', 'provider', 'benchmark', 'category', 'organization']),
  );
  for (const name of Object.keys(PRESENT_NAMES).filter((earlier) => earlier !== 'id'))
    expect(HOW_TO_USE).not.toContain(name);
});

test.each([
  ['get-model', { id: 'aurora-2' }, { model: 'aurora-2' }],
  ['compare-models', { ids: ['aurora-2', 'kestrel-2'] }, { models: ['aurora-2', 'kestrel-2'] }],
  ['get-history', { model_id: 'aurora-2', kind: 'score' }, { model: 'aurora-2', kind: 'score' }],
  ['get-rankings-history', { category_id: 'general', top: 1 }, { category: 'general', top: 1 }],
])('%s still takes the earlier names of its arguments: %o', async (tool, earlier, present) => {
  const { client } = await mcp.connect();
  const found = await client.call(tool, earlier);
  expect(found).toMatchObject({ isError: false });
  expect(found).toEqual(await client.call(tool, present));
});

test('an earlier name beside the present one is an unknown argument', async () => {
  const { client } = await mcp.connect();
  const { isError, data } = await client.call('get-model', { id: 'aurora-2', model: 'kestrel-2' });
  expect([isError, data]).toEqual([
    true,
    { detail: [expect.objectContaining({ loc: ['arguments', 'id'], type: 'extra_forbidden' })] },
  ]);
});

test.each([
  ['a meter that does not exist', { inputs: 1 }],
  ['a list', [1]],
  ['nothing', undefined],
])('quantities of a cost that are %s are refused with the names of the meters', async (_, quantities) => {
  const { client } = await mcp.connect();
  const { isError, data } = await client.call('get-cost', { model: 'aurora-2', quantities });
  expect(isError).toBe(true);
  const msg = expect.stringContaining('input, output, cache_read');
  expect(data).toMatchObject({ detail: [{ loc: ['arguments', 'quantities'], msg }] });
});

test('every tool only reads, and has the parameters of its route as arguments, with their words', async () => {
  const { client } = await mcp.connect();
  const tools = await client.listTools();
  for (const { name, annotations, outputSchema } of tools) {
    expect(annotations, name).toMatchObject({ readOnlyHint: true });
    expect(outputSchema, name).toBeDefined();
  }
  expect(tools.find(({ name }) => name === 'get-rankings')?.inputSchema).toMatchObject({
    required: ['category'],
    properties: { limit: { type: 'integer', minimum: 1, maximum: 50 } },
  });
  expect(tools.find(({ name }) => name === 'get-cost')?.inputSchema).toMatchObject({
    required: ['model', 'quantities'],
  });
});

test('the list of all tools, which every agent reads first, is at most 20,000 characters', async () => {
  const { client } = await mcp.connect();
  expect(JSON.stringify(await client.listTools()).length).toBeLessThanOrEqual(20_000);
});

test('what the plan lacks is refused in the words of the route', async () => {
  const client = await connect('new', mcp.url, mcp.api.accounts.customers.community.key);
  expect(await client.call('get-changes')).toMatchObject({
    isError: true,
    data: { error: { code: 'feature_not_in_plan', plan: 'community' } },
  });
});

/** The API with some capabilities, and its address. */
async function openWith(capabilities: CapabilityStates) {
  const api = await openApi({ days: SAMPLE_DAYS, accounts: {}, settings: { capabilities }, surfaces: withMcp });
  onTestFinished(() => api.close());
  return { url: await listen(api.app), key: api.accounts.customers.builder.key };
}

test('where MCP is not live for an organization, its path is as unknown as any', async () => {
  const { url, key } = await openWith({ mcp: { pilot: ['another'] } });
  const told = await Promise.all(
    ['/mcp', '/v1/mcp'].map(async (path) => {
      const response = await sendMessage(url + path, LIST_TOOLS, { key });
      const { error } = ErrorBodySchema.parse(await response.json());
      return [response.status, error.code, error.message];
    }),
  );
  expect(told[0]).toEqual([404, 'not_found', 'There is no such route']);
  expect(told[0]).toEqual(told[1]);
});

test('a tool whose route is not live is not listed, and unknown', async () => {
  const { url, key } = await openWith({ history: 'planned' });
  const client = await connect('new', `${url}/mcp`, key);
  const names = (await client.listTools()).map(({ name }) => name);
  expect(names).toContain('list-models');
  expect(names).not.toContain('get-history');
  const call = toolCall('get-history', { model: 'aurora-2', kind: 'score' });
  expect(await (await sendMessage(`${url}/mcp`, call, { key })).text()).toContain('There is no such tool');
});
