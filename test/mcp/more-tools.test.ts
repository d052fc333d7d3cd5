/** The tools that put answers together. */
import { beforeAll, describe, expect, test } from 'vitest';
import { mcpFace } from '../../mcp/mcp.ts';
import type { Customer } from '../support/accounts/subject.ts';
import { listen } from '../support/api/listen.ts';
import { useApi } from '../support/api/use-api.ts';
import { connect, ERAS } from '../support/mcp/clients.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';

const api = useApi({
  days: SAMPLE_DAYS,
  now: '2026-06-04T12:00:00Z',
  accounts: { as: 'commercial' },
  faces: async () => [mcpFace({ publicUrl: undefined, version: '1' })],
});
let url = '';
beforeAll(async () => {
  url = `${await listen(api.app)}/mcp`;
});

function addCustomer(daily_quota: number): Promise<Customer> {
  return api.accounts.add({ plan: 'commercial', contract: { daily_quota, burst_per_minute: 10_000 } });
}

const usedBy = async (customer: Customer) => (await api.accountOf(customer)).usage.used;

describe.each(ERAS)('a client of the %s era', (era) => {
  test('compares models as their routes have them, for one unit each', async () => {
    const customer = await addCustomer(10);
    const client = await connect(era, url, customer.key);
    await client.listTools();
    const { text, data, isError } = await client.call('compare-models', { ids: ['aurora-2', 'Aurora-2'] });
    expect(isError, text).toBe(false);
    expect(data).toEqual({ models: [await api.json('/v1/models/aurora-2'), await api.json('/v1/models/Aurora-2')] });
    expect(text).toContain('what | aurora-2 | Aurora-2');
    expect(await usedBy(customer)).toBe(2);
  });

  test('finds an id from what people write, for one unit, also where there is none', async () => {
    const customer = await addCustomer(10);
    const client = await connect(era, url, customer.key);
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
    expect(await usedBy(customer)).toBe(2);
  });
});

test('a comparison is whole or not at all: a model that is not there, or too little quota, costs nothing', async () => {
  const customer = await addCustomer(2);
  const client = await connect('new', url, customer.key);
  expect(await client.call('compare-models', { ids: ['aurora-2', 'nobody'] })).toMatchObject({
    isError: true,
    data: { error: { code: 'not_found' } },
  });
  expect(await usedBy(customer)).toBe(0);
  expect(await client.call('compare-models', { ids: ['aurora-2', 'Aurora-2', 'aurora-2-mini'] })).toMatchObject({
    isError: true,
    data: { error: { code: 'quota_exceeded' } },
  });
  expect(await usedBy(customer)).toBe(0);
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
  const client = await connect('new', url, api.accounts.customers.commercial.key);
  const { isError, text } = await client.call(tool, args);
  expect(isError).toBe(true);
  expect(text).toContain('Input should be');
});
