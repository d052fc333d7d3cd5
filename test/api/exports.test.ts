/** Exports (specification "Exports"): the newest without a key, days with one. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadCatalog } from '../../storage/catalog.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import { ModelsDevSchema } from '../support/exports/models-dev-schema.ts';
import { openPublic, usePublic } from '../support/site/use-public.ts';
import { EVERY_RATE, ODD_NAME, OFFERS_DAY, publishOffers } from '../worlds/offers-day.ts';
import { CUTOVER, FIRST, LAST, MOVED, publishRatedDays } from '../worlds/rated-days.ts';

const NAMES = ['litellm.json', 'models-dev.json', 'prices.csv'] as const;
const NOON = '2027-02-10T12:00:00Z';
const latest = (name: string) => `/v1/exports/latest/${name}`;

const api = usePublic({ days: publishOffers, now: NOON });
const rated = usePublic({ days: (store) => publishRatedDays(store), now: NOON });

async function entries(path = latest('litellm.json')) {
  return (await api.json(path)) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Lines of CSV, by the header; of RFC 4180. */
function rowsOf(csv: string): readonly Readonly<Record<string, string>>[] {
  const records = [...csv.matchAll(/(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,(?:"(?:[^"]|"")*"|[^",\r\n]*))*\r\n/g)].map(
    ([line]) =>
      [...line.slice(0, -2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
  );
  const [header = [], ...rows] = records;
  return rows.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])));
}

describe('the file for LiteLLM', () => {
  test('has a field for every rate that LiteLLM has a name for', async () => {
    const { every } = await entries();
    expect(every).toEqual({
      litellm_provider: 'openai',
      max_input_tokens: 400_000,
      max_output_tokens: 64_000,
      input_cost_per_token: 1.25e-6,
      output_cost_per_token: 1e-5,
      cache_read_input_token_cost: 1.25e-7,
      cache_creation_input_token_cost: 1.5625e-6,
      cache_creation_input_token_cost_above_1hr: 2.5e-6,
      output_cost_per_reasoning_token: 1.2e-5,
      input_cost_per_image_token: 2e-6,
      output_cost_per_image_token: 3e-5,
      input_cost_per_audio_token: 3.2e-6,
      output_cost_per_audio_token: 6.4e-5,
      input_cost_per_image: 0.00012,
      output_cost_per_image: 0.039,
      input_cost_per_audio_per_second: 7e-5,
      input_cost_per_request: 0.005,
      search_context_cost_per_query: { search_context_size_medium: 0.035 },
      input_cost_per_token_above_200k_tokens: 2.5e-6,
      output_cost_per_token_above_200k_tokens: 1.5e-5,
      cache_read_input_token_cost_above_200k_tokens: 2.5e-7,
      cache_creation_input_token_cost_above_200k_tokens: 3.125e-6,
      cache_creation_input_token_cost_above_1hr_above_200k_tokens: 5e-6,
      input_cost_per_token_batches: 6.25e-7,
      output_cost_per_token_batches: 5e-6,
      input_cost_per_token_flex: 6e-7,
      output_cost_per_token_flex: 4.8e-6,
      input_cost_per_token_priority: 2.2e-6,
      output_cost_per_token_priority: 1.76e-5,
      input_cost_per_token_above_200k_tokens_priority: 4.4e-6,
      supported_modalities: ['image', 'smell', 'text'],
      supported_output_modalities: ['text'],
      supports_function_calling: true,
      supports_response_schema: true,
      supports_reasoning: true,
      supports_vision: true,
      deprecation_date: '2028-03-01',
      metadata: { model_id: 'every', provider: 'openai', source: 'litellm', updated_at: expect.any(String) },
    });
  });

  test('leaves out what it has no words for', async () => {
    const { 'mistral/unsaid': unsaid } = await entries();
    expect(Object.keys(unsaid ?? {}).filter((name) => name.includes('cost'))).toEqual([
      'input_cost_per_token',
      'output_cost_per_token',
    ]);
    // The maker's day is not each seller's.
    expect(unsaid).not.toHaveProperty('deprecation_date');
    const { 'mistral/bare': bare, 'mistral/embed': embed } = await entries();
    expect(bare).toMatchObject({ input_cost_per_token: 5e-7, output_cost_per_token: 1.5e-6 });
    expect(embed).not.toHaveProperty('output_cost_per_token');
  });

  test('names models as LiteLLM does, and as the source of the price does', async () => {
    expect(Object.keys(await entries()).sort()).toEqual([
      'azure/own',
      'constructor/constructor',
      'deepseek/odd',
      'every',
      'gemini/every',
      'groq/named',
      'mistral/bare',
      'mistral/embed',
      'mistral/of-closed',
      'mistral/unsaid',
      'openai-own',
      'openrouter/aliased',
      'openrouter/maker/aliased',
    ]);
  });

  test("of two offers with one name LiteLLM's own counts", async () => {
    const { every, 'openai-own': own } = await entries();
    expect([every?.['litellm_provider'], own?.['input_cost_per_token']]).toEqual(['openai', 5e-6]);
  });
});

describe('the file for models.dev', () => {
  test('is what its schema accepts, with costs and their tiers', async () => {
    const providers = ModelsDevSchema.parse(await api.json(latest('models-dev.json')));
    const tier = { input: 2.5, output: 15, cache_read: 0.25, cache_write: 3.125 };
    expect(providers['google']).toMatchObject({ env: ['(unknown)'], npm: '(unknown)', doc: '(unknown)' });
    expect(providers['google']?.models['every']).toMatchObject({
      attachment: true,
      tool_call: true,
      structured_output: true,
      reasoning: true,
      knowledge: '2026-06',
      release_date: '2026-11-01',
      last_updated: OFFERS_DAY,
      modalities: { input: ['image', 'text'], output: ['text'] },
      limit: { context: 400_000, output: 64_000 },
      cost: {
        ...{
          input: 1.25,
          output: 10,
          cache_read: 0.125,
          cache_write: 1.5625,
          reasoning: 12,
          input_audio: 3.2,
          output_audio: 64,
        },
        tiers: [{ ...tier, tier: { type: 'context', size: 200_000 } }],
        context_over_200k: tier,
      },
    });
    expect(providers['mistral']?.models['unsaid']?.cost).toEqual({
      ...{ input: 1, output: 2 },
      tiers: [{ input: 7, output: 2, tier: { type: 'context', size: 123_456 } }],
    });
  });

  test('has no model of which a fact is unknown, and no cost in another currency or of one direction', async () => {
    const providers = ModelsDevSchema.parse(await api.json(latest('models-dev.json')));
    expect(Object.keys(providers)).not.toContain('__proto__');
    expect(providers['mistral']?.models).not.toHaveProperty('bare');
    expect(providers['yuan']?.models['odd']).not.toHaveProperty('cost');
    expect(providers['mistral']?.models['closed:embed']).not.toHaveProperty('cost');
  });
});

describe('the table of prices', () => {
  test('has a line for each rate of each price, in order, with its condition', async () => {
    const rows = rowsOf((await api.get(latest('prices.csv'))).body);
    const of = rows.filter(({ model_id, provider }) => model_id === 'every' && provider === 'openai');
    expect(of).toHaveLength(EVERY_RATE.length);
    expect(
      of.find(({ meter, context_min, tier }) => meter === 'input' && context_min === '200000' && tier === 'priority'),
    ).toEqual({
      ...{
        model_id: 'every',
        model_name: 'every',
        organization: '',
        provider: 'openai',
        meter: 'input',
        unit: 'token',
      },
      ...{ per: '1000000', price: '4.4', currency: 'USD', tier: 'priority', context_min: '200000', applies: 'request' },
      ...{ region: '', source: 'litellm', updated_at: `${OFFERS_DAY}T23:59:59Z` },
    });
    const keys = rows.map(({ model_id, provider }) => `${model_id}\0${provider}`);
    expect(keys).toEqual(keys.toSorted());
  });

  test('quotes names with quotes, commas and line ends, and has prices in other currencies and without rates', async () => {
    const { body, headers } = await api.get(latest('prices.csv'));
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    const rows = rowsOf(body);
    const odd = rows.filter(({ model_id }) => model_id === 'odd');
    expect(odd.map(({ model_name, organization, currency }) => [model_name, organization, currency])).toEqual([
      ...Array(2).fill([ODD_NAME, 'Acme, Inc.', 'USD']),
      ...Array(2).fill([ODD_NAME, 'Acme, Inc.', 'CNY']),
    ]);
    expect(rows.filter(({ model_id }) => model_id === 'bare').map(({ price }) => price)).toEqual(['0.5', '1.5']);
  });
});

describe.each(NAMES)('the newest %s', (name) => {
  test('needs no key, may be shown by other sites, and is cached', async () => {
    const { statusCode, headers, body } = await api.get(latest(name));
    expect([statusCode, headers]).toEqual([
      200,
      expect.objectContaining({
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=3600',
        'x-data-as-of': `${OFFERS_DAY}T23:59:59Z`,
      }),
    ]);
    expect((await api.get(latest(name))).body).toBe(body);
    for (const condition of [
      { 'if-none-match': String(headers.etag) },
      { 'if-modified-since': String(headers['last-modified']) },
    ]) {
      const again = await api.get(latest(name), condition);
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
  });

  test('is compressed where the client accepts it, and has no body for HEAD', async () => {
    const { body } = await api.get(latest(name));
    const packed = await api.get(latest(name), { 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.rawPayload).toString()).toBe(body);
    const head = await fetch(`http://127.0.0.1:${await api.port()}${latest(name)}`, {
      method: 'HEAD',
      headers: { 'Accept-Encoding': 'identity' },
    });
    const length = Buffer.byteLength(body);
    expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', String(length)]);
  });

  test('is that of its day, byte for byte', async () => {
    const { commercial } = api.accounts.customers;
    const ofDay = await api.ask(commercial, `/v1/exports/${OFFERS_DAY}/${name}`);
    expect([ofDay.statusCode, ofDay.body]).toEqual([200, (await api.get(latest(name))).body]);
  });

  test('says which of its sources are restricted, and leaves out their rows', async () => {
    const all = await api.get(latest(name));
    expect(all.headers['x-restricted-sources']).toBe('closed');
    const some = await api.get(`${latest(name)}?exclude=restricted`);
    expect(some.headers['x-restricted-sources']).toBe('none');
    for (const id of ['unsaid', 'of-closed', 'bare']) expect([id, some.body.includes(id)]).toEqual([id, false]);
    expect(some.body).toContain('every');
    expect(some.headers.etag).not.toBe(all.headers.etag);
    const wrong = await api.get(`${latest(name)}?exclude=all`);
    expect([wrong.statusCode, wrong.json().detail[0].loc]).toEqual([422, ['query', 'exclude']]);
  });
});

describe('a day', () => {
  const path = (day: string, name = 'litellm.json') => `/v1/exports/${day}/${name}`;

  test('needs a key, a plan with snapshots, and a snapshot of that day', async () => {
    const { community, builder, commercial } = rated.accounts.customers;
    expect((await rated.get(path(CUTOVER))).statusCode).toBe(401);
    expect((await rated.ask(community, path(CUTOVER))).json().error.code).toBe('feature_not_in_plan');
    expect((await rated.ask(builder, path(MOVED))).statusCode).toBe(200);
    for (const [customer, day] of [
      [builder, CUTOVER],
      [commercial, '2020-01-01'],
    ] as const) {
      const { code, param } = (await rated.ask(customer, path(day))).json().error;
      expect([code, param]).toEqual(['not_found', 'day']);
    }
    const wrong = await rated.ask(commercial, path('today'));
    expect([wrong.statusCode, wrong.json().detail[0].loc]).toEqual([422, ['path', 'day']]);
  });

  test('costs a unit, and none where nothing changed', async () => {
    const { commercial } = rated.accounts.customers;
    const used = async () => (await rated.accountOf(commercial)).usage.used;
    const before = await used();
    const { headers } = await rated.ask(commercial, path(CUTOVER));
    expect(await used()).toBe(before + 1);
    const again = await rated.ask(commercial, path(CUTOVER), { headers: { 'if-none-match': String(headers.etag) } });
    expect([again.statusCode, await used()]).toEqual([304, before + 1]);
  });

  test('is as it was published: before rates were recorded it has input and output', async () => {
    const { commercial } = rated.accounts.customers;
    const [old, cutover, moved] = await Promise.all(
      [LAST, CUTOVER, MOVED].map(async (day) => (await rated.ask(commercial, path(day))).json()['p/same']),
    );
    expect(old).not.toHaveProperty('cache_read_input_token_cost');
    expect(old).toMatchObject({ input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 });
    expect([cutover, moved].map((entry) => entry.cache_read_input_token_cost)).toEqual([1e-7, 2e-7]);
  });
});

test('another release is another export, and a pruned day is gone', async () => {
  const own = await openPublic({ days: (store) => publishRatedDays(store, [FIRST]), now: NOON });
  const { commercial } = own.accounts.customers;
  const ofDay = (name: string) => own.ask(commercial, `/v1/exports/${FIRST}/${name}`);
  const first = await own.get(latest('litellm.json'));
  await publishRatedDays(own.store, [LAST, CUTOVER]);
  await own.follower.refresh();
  const second = await own.get(latest('litellm.json'), { 'if-none-match': String(first.headers.etag) });
  expect([second.statusCode, second.body === first.body]).toEqual([200, false]);
  expect((await ofDay('litellm.json')).body).toBe(first.body);
  await own.store.prune({ changesMonths: 13, snapshots: 1, states: 7 });
  // The view still lists it.
  const lost = await ofDay('models-dev.json');
  expect([lost.statusCode, lost.json().error.code]).toEqual([404, 'not_found']);
  await own.follower.refresh();
  const gone = await ofDay('litellm.json');
  expect([gone.statusCode, gone.json().error.param]).toEqual([404, 'day']);
});

test('bytes that are not those that were published are never exported', async () => {
  const own = await openPublic({ days: (store) => publishRatedDays(store, [FIRST]), now: NOON });
  const [release] = (await loadCatalog(own.store.deps.store)).catalog?.releases ?? [];
  if (release === undefined) throw new Error('nothing is published');
  const path = join(own.store.folder, releaseKey(release, RELEASE_PATHS.snapshot('pricing')));
  const lines = gunzipSync(await readFile(path)).toString();
  await writeFile(path, gzipSync(lines.replace('"input_per_million":1', '"input_per_million":9')));
  const { statusCode, body } = await own.get(latest('prices.csv'));
  expect([statusCode, body.includes('model_id')]).toEqual([500, false]);
});

test('where exports are only planned, nothing tells of them', async () => {
  const own = await openPublic({
    days: (store) => publishRatedDays(store, [FIRST]),
    now: NOON,
    planned: ['exports'],
    settings: { capabilities: { exports: 'planned' } },
  });
  expect((await own.get(latest('litellm.json'))).statusCode).toBe(401);
  const { commercial } = own.accounts.customers;
  for (const url of [latest('litellm.json'), `/v1/exports/${FIRST}/litellm.json`]) {
    const { error } = (await own.ask(commercial, url)).json();
    expect([error.code, error.param]).toEqual(['not_found', null]);
  }
  expect(JSON.stringify(await own.json('/openapi.json'))).not.toContain('/v1/exports/');
});

test('an export is read from the store once for a release, however many ask, and not before', async () => {
  const read: string[] = [];
  const own = await openPublic({
    days: (store) => publishRatedDays(store, [FIRST]),
    now: NOON,
    wrapStore: (store) =>
      new Proxy(store, {
        get: (_, name) =>
          name === 'stream'
            ? (key: string) => {
                read.push(key);
                return store.stream(key);
              }
            : (Reflect.get(store, name).bind?.(store) ?? Reflect.get(store, name)),
      }),
  });
  read.length = 0;
  const ask = async () => (await own.get(latest('prices.csv'))).body;
  const bodies = await Promise.all([ask(), ask(), ask()]);
  expect(new Set([...bodies, await ask()]).size).toBe(1);
  expect(read.map((key) => key.replace(/.*\//, ''))).toEqual(['models.jsonl.gz', 'pricing.jsonl.gz']);
});

test('another name of a model is another entry under another tag, also of the days before', async () => {
  const upstreams = [{ id: 'up', name: 'Up', url: 'https://up.example', redistribution: true }];
  const price = { model_id: 'a', provider: 'mistral', input_per_million: 1, output_per_million: 2, source: 'up' };
  const rows = { models: [{ id: 'a', name: 'A', source: 'up' }], pricing: [price] };
  const naming = (name: string) => ({
    settings: { upstreams, aliases: 'aliases.csv' },
    aliases: `upstream,id,model_id\nup,${name},a\n`,
  });
  const own = await openPublic({ days: (store) => store.publish('2027-02-05', rows, naming('first')), now: NOON });
  const first = await own.get(latest('litellm.json'));
  expect(Object.keys(first.json())).toEqual(['mistral/a', 'mistral/first']);
  await own.store.publish('2027-02-06', rows, naming('second'));
  await own.follower.refresh();
  const { headers } = first;
  for (const condition of [
    { 'if-none-match': String(headers.etag) },
    { 'if-modified-since': String(headers['last-modified']) },
  ])
    expect(Object.keys((await own.get(latest('litellm.json'), condition)).json())).toEqual([
      'mistral/a',
      'mistral/second',
    ]);
  const ofDay = await own.ask(own.accounts.customers.commercial, '/v1/exports/2027-02-05/litellm.json');
  expect(Object.keys(ofDay.json())).toEqual(['mistral/a', 'mistral/second']);
});
