/** The tools that put answers together; what agents can read whole, and what people can begin with. */
import { describe, expect, test } from 'vitest';
import { pageList } from '../support/api/lists.ts';
import { ERAS } from '../support/mcp/clients.ts';
import { useMcp } from '../support/mcp/use-mcp.ts';
import { withNames } from '../support/pipeline/named-models.ts';
import { LISTED_DAY } from '../worlds/listed-day.ts';
import { CUTOVER, MOVED, publishRatedDays } from '../worlds/rated-days.ts';

const mcp = useMcp();

describe.each(ERAS)('a client of the %s era', (era) => {
  test('compares models as their routes have them, for one unit each', async () => {
    const { client, used } = await mcp.connect({ era });
    const { text, data, isError } = await client.call('compare-models', {
      models: ['aurora-2', 'kestrel-2', 'Aurora-2'],
    });
    expect(isError, text).toBe(false);
    // Id, name, organization, release, context, the lowest prices of input and output, and of how many providers.
    expect((data['models'] as Rows).map((model) => Object.values(model))).toEqual([
      ['aurora-2', 'Aurora 2 Pro', 'Northlight', '2026-02-10', 200_000, 2.5, 12.5, 'USD', 2],
      ['kestrel-2', 'Kestrel 2', 'Talon AI', '2026-04-22', 131_072, 1.5, 6, 'USD', 1],
      ['Aurora-2', 'Aurora-2, community build', 'Mirrorworks', '2026-03-01', 131_072, 0.6, 0.6, 'USD', 1],
    ]);
    expect(data).toMatchObject({
      rankings: [
        { category: 'code', ranks: [2, null, null] },
        { category: 'general', ranks: [1, 2, null] },
      ],
      scores: [
        { benchmark_id: 'math-hard', values: [expect.closeTo(0.3), 0.52, null] },
        { benchmark_id: 'reason-bench', values: [72.25, 64.75, null] },
      ],
    });
    expect(text).toContain('what | aurora-2 | kestrel-2 | Aurora-2');
    expect(await used()).toBe(3);
  });

  test('finds an id from what people write, for one unit, also where there is none', async () => {
    const { client, used } = await mcp.connect({ era });
    const { text, data } = await client.call('resolve-model', { name: 'northlight/AURORA 2' });
    // Both ids are that but for their case, so both are told; more sell the one that comes first.
    expect(matchesIn(data).slice(0, 2)).toMatchObject([
      { model_id: 'aurora-2', match: 'path', confidence: 'likely' },
      { model_id: 'Aurora-2', match: 'path', confidence: 'likely' },
    ]);
    expect(text).toContain('without what stands before a slash; another model matches as well');
    expect(await client.call('resolve-model', { name: 'nobody at all' })).toMatchObject({
      isError: false,
      data: { matches: [] },
    });
    expect(await used()).toBe(2);
  });
});

type Rows = readonly Readonly<Record<string, unknown>>[];

/** What `resolve-model` finds. */
const matchesIn = (data: Rows[number]) => data['matches'] as Rows;

test('a comparison is whole or not at all: a model that is not there, or too little quota, costs nothing', async () => {
  const { client, used } = await mcp.connect({ units: 2 });
  expect(await client.call('compare-models', { models: ['aurora-2', 'nobody'] })).toMatchObject({
    isError: true,
    data: { error: { code: 'not_found', param: 'models', message: 'There is no model "nobody"' } },
  });
  expect(await client.call('compare-models', { models: ['aurora-2', 'x'.repeat(300)] })).toMatchObject({
    isError: true,
    data: { detail: [{ loc: ['arguments', 'models', 1] }] },
  });
  expect(await used()).toBe(0);
  expect(await client.call('compare-models', { models: ['aurora-2', 'Aurora-2', 'aurora-2-mini'] })).toMatchObject({
    isError: true,
    data: { error: { code: 'quota_exceeded' } },
  });
  expect(await used()).toBe(0);
});

test.each([
  ['compare-models', { models: ['aurora-2'] }],
  ['compare-models', { models: ['aurora-2', 'aurora-2'] }],
  ['compare-models', { models: 'aurora-2' }],
  ['compare-models', { models: ['aurora-2', ''] }],
  ['compare-models', { models: Array.from({ length: 11 }, (_, index) => `m${index}`) }],
])('%s refuses %o, and says what it takes', async (tool, args) => {
  const { client } = await mcp.connect();
  const { isError, text } = await client.call(tool, args);
  expect(isError).toBe(true);
  expect(text).toContain('Input should be');
  expect(text).toContain('"loc":["arguments"');
});

test('changes since a day are those after its snapshot, for one unit', async () => {
  const { client, used } = await mcp.connect();
  const { snapshots } = (await mcp.api.json('/v1/snapshots')) as { readonly snapshots: Rows };
  const before = snapshots.at(-1);
  const { text, data } = await client.call('get-changes', { since: before?.['id'], limit: 5 });
  expect(data, text).toEqual(await mcp.api.json(`/v1/changes?cursor=${before?.['change_cursor']}&limit=5`));
  expect(data['events']).not.toEqual([]);
  expect(await used()).toBe(1);
  const all = await client.call('get-changes');
  expect(all.data).toEqual(await mcp.api.json('/v1/changes?limit=100'));
});

test.each([
  ['yesterday', 'a day YYYY-MM-DD'],
  ['2000-01-01', 'which is the oldest snapshot'],
])('changes since %s are refused, at no cost', async (since, words) => {
  const { client, used } = await mcp.connect();
  const { isError, text } = await client.call('get-changes', { since });
  expect([isError, text]).toEqual([true, expect.stringContaining(words)]);
  expect(await client.call('get-changes', { since: '2026-06-02', cursor: 'MA' })).toMatchObject({ isError: true });
  expect(await used()).toBe(0);
});

test('a ranking of a category that never was names those that are ranked, and costs nothing', async () => {
  const { client, used } = await mcp.connect();
  const { isError, data } = await client.call('get-rankings', { category: 'none' });
  const { error } = data as { readonly error: Readonly<Record<string, unknown>> };
  expect([isError, error['code'], error['param']]).toEqual([true, 'not_found', 'category']);
  expect(error['message']).toMatch(/^There is no such category\. Ranked categories are .*\bgeneral\b/);
  expect(await used()).toBe(0);
});

test.each(ERAS)('a client of the %s era reads every resource, lists for one unit each', async (era) => {
  const { client, used } = await mcp.connect({ era });
  const uris = await client.listResources();
  expect(uris).toEqual(
    ['how-to-use', 'benchmarks', 'categories', 'organizations', 'providers', 'sources'].map(
      (name) => `modelstats://${name}`,
    ),
  );
  const read: Record<string, string> = {};
  for (const uri of uris) read[uri] = await client.readResource(uri);
  expect(await used()).toBe(uris.length - 2);
  expect(read['modelstats://how-to-use']).toContain('per million tokens, in the currency');
  expect(read['modelstats://benchmarks']).toContain('reason-bench | Reason Bench');
  expect(read['modelstats://categories']).toMatch(/^general \| \d+$/m);
  expect(read['modelstats://sources']).toMatch(/^0 sources, data as of .*\nid \| name \| home page/);
  const models = await pageList(mcp.api, '/v1/models?limit=200');
  const ofNorthlight = models.filter(({ organization }) => organization === 'Northlight').length;
  expect(read['modelstats://organizations']).toContain(`\nNorthlight | ${ofNorthlight}`);
  const onNimbus = models.filter(({ inference }) => Array.isArray(inference) && inference.includes('nimbus')).length;
  expect(read['modelstats://providers']).toContain(`\nnimbus | ${onNimbus}`);
});

test('a list that is refused is an error with the envelope', async () => {
  const { client } = await mcp.connect({ units: 0 });
  await expect(client.readResource('modelstats://providers')).rejects.toMatchObject({
    data: { error: { code: 'quota_exceeded' } },
  });
  await expect(client.readResource('modelstats://nothing')).rejects.toMatchObject({
    message: expect.stringContaining('There is no such resource'),
    data: { uri: 'modelstats://nothing' },
  });
});

test.each(ERAS)('a client of the %s era gets every prompt, at no cost', async (era) => {
  const { client, used } = await mcp.connect({ era });
  expect(await client.listPrompts()).toEqual(['model-for-a-budget', 'what-changed', 'compare-two', 'price-history']);
  const texts = [
    await client.getPrompt('model-for-a-budget', { category: 'general', max_input_price: '2' }),
    await client.getPrompt('what-changed', { days: '7', category: 'general' }),
    await client.getPrompt('what-changed', {}),
    await client.getPrompt('compare-two', { first: 'Aurora 2', second: 'Kestrel 2' }),
    await client.getPrompt('price-history', { model: 'Aurora 2', provider: '' }),
  ];
  expect(texts.filter((text) => text.includes('undefined'))).toEqual([]);
  expect(texts[2]).toContain('in the last 7 days');
  expect(texts[3]).toContain('"Aurora 2" and "Kestrel 2"');
  expect(await used()).toBe(0);
});

test('a prompt without what it needs, or that there is not, is refused', async () => {
  const { client } = await mcp.connect();
  await expect(client.getPrompt('compare-two', { first: 'a' })).rejects.toThrow('This prompt needs second');
  await expect(client.getPrompt('nothing', {})).rejects.toThrow('There is no such prompt');
});

describe('what upstreams call models', () => {
  const NAMES = withNames('shop,acme/Turbo 9,d', 'board,b,B', 'board,Zulu,b', 'shop,épée,é');
  const named = useMcp((store) => store.publish('2026-06-01', LISTED_DAY, NAMES));

  test('a name that an upstream has exactly so is surer than all but the id itself', async () => {
    const { client, used } = await named.connect();
    const matchesFor = async (name: string) => {
      const { data } = await client.call('resolve-model', { name });
      return matchesIn(data).map(({ model_id: model, match, confidence }) => [model, match, confidence]);
    };
    expect(await matchesFor('acme/Turbo 9')).toEqual([['d', 'alias', 'exact']]);
    expect((await matchesFor(' b ')).slice(0, 2)).toEqual([
      ['b', 'id', 'exact'],
      ['B', 'alias', 'possible'],
    ]);
    expect(await matchesFor('Zulu')).toEqual([
      ['b', 'alias', 'exact'],
      ['a', 'name', 'possible'],
      ['B', 'name', 'possible'],
    ]);
    expect(await matchesFor('acme/turbo 9')).toEqual([['d', 'spelling', 'sure']]);
    expect((await client.call('resolve-model', { name: 'acme/turbo 9' })).text).toMatch(/^1 match for acme\/turbo 9, /);
    expect(await used(), 'each call costs one unit').toBe(5);
  });

  test('models are listed by an exact name, and a model tells its names', async () => {
    const { client } = await named.connect();
    const { data } = await client.call('list-models', { alias: 'acme/Turbo 9' });
    expect(data).toMatchObject({ models: [{ id: 'd' }], total: 1 });
    const model = await client.call('get-model', { model: 'd' });
    expect(model.data['aliases']).toEqual([{ upstream: 'shop', id: 'acme/Turbo 9' }]);
    expect(model.text).toContain('acme/Turbo 9 at shop');
  });
});

describe('prices in several currencies', () => {
  const price = (model_id: string, provider: string, currency: string, input_per_million: number) => ({
    ...{ model_id, provider, currency, input_per_million },
    output_per_million: 9,
  });
  const priced = useMcp((store) =>
    store.publish('2026-06-01', {
      models: ['one', 'two', 'none'].map((id) => ({ id, name: id })),
      pricing: [
        ...[price('one', 'p', 'EUR', 3), price('one', 'q', 'EUR', 2)],
        ...[price('two', 'p', 'EUR', 3), price('two', 'q', 'JPY', 200)],
      ],
    }),
  );

  test('are not compared, and every text says the currency', async () => {
    const { client } = await priced.connect();
    const { text, data } = await client.call('compare-models', { models: ['one', 'two', 'none'] });
    expect(data['models']).toMatchObject([
      { lowest_input_per_million: 2, lowest_output_per_million: 9, currency: 'EUR', providers_with_price: 2 },
      { lowest_input_per_million: null, lowest_output_per_million: null, currency: null, providers_with_price: 2 },
      { lowest_input_per_million: null, lowest_output_per_million: null, currency: null, providers_with_price: 0 },
    ]);
    expect(text).toContain('currency | EUR | - | -');
    for (const [tool, args] of [
      ['list-prices', {}],
      ['get-model', { model: 'two' }],
      ['get-history', { model: 'two', kind: 'pricing' }],
    ] as const) {
      const shown = (await client.call(tool, args)).text;
      expect(shown).toMatch(/ currency/);
      expect(shown).toMatch(/\| 200 \| 9 \| JPY/);
      expect(shown).not.toContain('USD');
    }
  });
});

describe('what a text must not hide', () => {
  const rated = useMcp((store) => publishRatedDays(store), { now: `${MOVED}T12:00:00Z` });

  test('of models that are gone, since when; of others no such column', async () => {
    const { client } = await rated.connect();
    const { text } = await client.call('list-models', { include: 'removed' });
    expect(text).toMatch(/^id \| name \| .* \| removed$/m);
    expect(text).toMatch(new RegExp(`^gone \\| gone \\| .* \\| ${CUTOVER}$`, 'm'));
    expect(text).toMatch(/^same \| same \| .* \| -$/m);
    expect((await client.call('list-models')).text).not.toContain('removed');
  });

  test('of a history of prices, rates beside input and output', async () => {
    const { client } = await rated.connect();
    const { text, data } = await client.call('get-history', {
      model: 'same',
      kind: 'pricing',
      from: CUTOVER,
      to: MOVED,
    });
    expect(text).toContain('other rates (per million tokens, or as said)');
    const prices = new Set((data['points'] as Rows).map(({ payload }) => JSON.stringify(Object(payload).rates)));
    expect(prices.size).toBe(2);
    expect(text.split('\n').filter((line) => line.startsWith(CUTOVER.slice(0, 4)))).toHaveLength(2);
  });
});
