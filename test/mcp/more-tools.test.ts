/** The tools that put answers together. */
import { describe, expect, test } from 'vitest';
import { connect, ERAS } from '../support/mcp/clients.ts';
import { useMcp } from '../support/mcp/use-mcp.ts';

const mcp = useMcp();

describe.each(ERAS)('a client of the %s era', (era) => {
  test('compares models as their routes have them, for one unit each', async () => {
    const customer = await mcp.addCustomer(10);
    const client = await connect(era, mcp.url, customer.key);
    await client.listTools();
    const { text, data, isError } = await client.call('compare-models', { ids: ['aurora-2', 'Aurora-2'] });
    expect(isError, text).toBe(false);
    expect(data).toEqual({
      models: [await mcp.api.json('/v1/models/aurora-2'), await mcp.api.json('/v1/models/Aurora-2')],
    });
    expect(text).toContain('what | aurora-2 | Aurora-2');
    expect(await mcp.usedBy(customer)).toBe(2);
  });

  test('finds an id from what people write, for one unit, also where there is none', async () => {
    const customer = await mcp.addCustomer(10);
    const client = await connect(era, mcp.url, customer.key);
    await client.listTools();
    const { text, data } = await client.call('resolve-model', { name: 'northlight/AURORA 2' });
    const ids = (data['candidates'] as readonly { readonly model: { readonly id: string } }[]).map(
      ({ model }) => model.id,
    );
    // Both ids are that but for their case, so both are told.
    expect(ids.slice(0, 2)).toEqual(['Aurora-2', 'aurora-2']);
    expect(text).toContain('the id without the provider');
    expect(await client.call('resolve-model', { name: 'nobody at all' })).toMatchObject({
      isError: false,
      data: { candidates: [], total: 0 },
    });
    expect(await mcp.usedBy(customer)).toBe(2);
  });
});

test('a comparison is whole or not at all: a model that is not there, or too little quota, costs nothing', async () => {
  const customer = await mcp.addCustomer(2);
  const client = await connect('new', mcp.url, customer.key);
  expect(await client.call('compare-models', { ids: ['aurora-2', 'nobody'] })).toMatchObject({
    isError: true,
    data: { error: { code: 'not_found' } },
  });
  expect(await mcp.usedBy(customer)).toBe(0);
  expect(await client.call('compare-models', { ids: ['aurora-2', 'Aurora-2', 'aurora-2-mini'] })).toMatchObject({
    isError: true,
    data: { error: { code: 'quota_exceeded' } },
  });
  expect(await mcp.usedBy(customer)).toBe(0);
});

test.each([
  ['compare-models', { ids: ['aurora-2'] }],
  ['compare-models', { ids: ['aurora-2', 'aurora-2'] }],
  ['compare-models', { ids: 'aurora-2' }],
  ['compare-models', { ids: Array.from({ length: 7 }, (_, index) => `m${index}`) }],
  ['resolve-model', {}],
  ['resolve-model', { name: '' }],
  ['resolve-model', { name: '???' }],
  ['resolve-model', { name: 'x'.repeat(201) }],
])('%s refuses %o, and says what it takes', async (tool, args) => {
  const client = await connect('new', mcp.url, mcp.api.accounts.customers.commercial.key);
  const { isError, text } = await client.call(tool, args);
  expect(isError).toBe(true);
  expect(text).toContain('Input should be');
});
