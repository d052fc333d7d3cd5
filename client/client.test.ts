/** The calls, over a real connection to the real API. */
import { expect, test } from 'vitest';
import { useService } from '../test/support/client/service.ts';
import type { DayRows } from '../test/support/pipeline/write-day.ts';
import type { ModelstatsClient } from './client.ts';

/** Ids that paths and queries have to encode, and enough of them for several pages. */
const IDS = [
  '@cf/müller/r1',
  '100%',
  'a b',
  'a+b&c=d?e#f',
  'naïve/モデル/😀',
  'x%2Fy',
  ...Array.from({ length: 250 }, (_, index) => `model-${index}`),
];

const rows: DayRows = {
  models: IDS.map((id) => ({ id, name: `Name of ${id}` })),
  benchmarks: ['code/one', 'b%2'].map((id) => ({ id, name: id, category: 'code' })),
  scores: IDS.flatMap((model_id) =>
    ['code/one', 'b%2'].map((benchmark_id) => ({ model_id, benchmark_id, value: model_id.length })),
  ),
  rankings: IDS.slice(0, 120).map((model_id, index) => ({ model_id, category: 'text/one', rank: index + 1 })),
  pricing: IDS.flatMap((model_id) =>
    ['shop/é', 'b%2'].map((provider) => ({ model_id, provider, input_per_million: 1 })),
  ),
};

const service = useService({ days: (store) => store.publish('2026-06-30', rows) });

/** A client of a new organization on Commercial, and how many of its units are used. */
async function customer() {
  const client = service.client({ key: await service.addKey({ plan: 'commercial' }) });
  return { client, used: async () => (await client.getAccount()).body.usage.used };
}

test.each([
  ['models', (client: ModelstatsClient) => client.eachModel(), IDS.length, 2],
  ['models that meet filters', (client: ModelstatsClient) => client.eachModel({ q: 'MODEL-1' }), 111, 1],
  ['benchmarks', (client: ModelstatsClient) => client.eachBenchmark(), 2, 1],
  ['scores', (client: ModelstatsClient) => client.eachScore(), 2 * IDS.length, 2],
  ['prices', (client: ModelstatsClient) => client.eachPrice(), 2 * IDS.length, 2],
  ['prices of a provider', (client: ModelstatsClient) => client.eachPrice({ provider: 'shop/é' }), IDS.length, 1],
  ['ranks of a category', (client: ModelstatsClient) => client.eachRanking('text/one'), 120, 3],
  ['changes', (client: ModelstatsClient) => client.eachChange({ limit: 300 }), 5 * IDS.length + 120, 5],
] as const)('an iterator over %s gives every record once', async (_, each, count, pages) => {
  const { client, used } = await customer();
  const records = new Set<string>();
  let given = 0;
  for await (const record of each(client)) {
    given += 1;
    records.add(JSON.stringify(record));
  }
  expect([given, records.size]).toEqual([count, count]);
  expect(await used()).toBe(pages);
});

test('a model is found by its id, whatever paths and queries have to encode of it', async () => {
  const { client } = await customer();
  for (const id of IDS.slice(0, 6)) {
    expect((await client.getModel(id)).body).toMatchObject({ id, scores: [{}, {}] });
    const history = await client.getModelHistory(id, { kind: 'score', benchmark_id: 'code/one' });
    expect(history.body.points).toHaveLength(1);
    const { body } = await client.listScores({ model: id, benchmark: 'b%2' });
    expect(body.scores.map(({ model_id: found }) => found)).toEqual([id]);
  }
});

test('what an answer says beside its body can be read', async () => {
  const client = service.client({ key: await service.addKey({ plan: 'builder' }) });
  const response = await client.listModels({ limit: 1 });
  expect(response).toMatchObject({ dataAsOf: '2026-06-30T23:59:59Z', quotaRemaining: 4999 });
  expect(response.etag).toMatch(/^"/);
  expect(Date.parse(response.lastModified ?? '')).not.toBeNaN();
  expect((await service.client().listModels({ limit: 1 })).quotaRemaining).toBeNull();
});

test('a question whether something changed costs a unit only where it did', async () => {
  const { client, used } = await customer();
  const last = await client.listModels({ q: 'model-1' });
  expect(await used()).toBe(1);
  const again = () => client.ifChanged(last.etag, (conditional) => conditional.listModels({ q: 'model-1' }));
  expect(await again()).toBeUndefined();
  expect(await used()).toBe(1);
  const models = rows.models?.map((model) =>
    'id' in model && model.id === 'model-1' ? { ...model, name: 'New' } : model,
  );
  await service.publish(({ store }) => store.publish('2026-07-01', { ...rows, models: models ?? [] }));
  service.api.clock.set('2026-07-01T12:00:00Z');
  expect((await again())?.body.models.some(({ name }) => name === 'New')).toBe(true);
  expect(await used()).toBe(1); // Of the new day.
  expect(await client.ifChanged(null, (conditional) => conditional.getAccount())).toBeDefined();
});
