/** What agents can read whole, and what people can begin with. */
import { expect, test } from 'vitest';
import { pageList } from '../support/api/lists.ts';
import { ERAS } from '../support/mcp/clients.ts';
import { useMcp } from '../support/mcp/use-mcp.ts';

const mcp = useMcp();

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
  expect(read['modelstats://how-to-use']).toContain('US dollars per million tokens');
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
