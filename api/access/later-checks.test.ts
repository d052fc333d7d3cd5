/** The order of the checks behind authentication, two by two (specification "Order of checks"); order-of-checks.test.ts has the others. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useApi } from '../../test/support/api/use-api.ts';
import { publishFixtureDays, SAMPLE_DAYS } from '../../test/support/pipeline/sample-store.ts';

/** The feed begins a day late, as after a prune. */
const api = useApi({
  days: async (store) => {
    await publishFixtureDays(store, SAMPLE_DAYS);
    const path = join(store.folder, 'catalog.json');
    const catalog = JSON.parse(await readFile(path, 'utf8'));
    catalog.releases[0].parts = catalog.releases[0].parts.filter((part: string) => part !== 'changes');
    await writeFile(path, JSON.stringify(catalog));
  },
  // Measured, so that no burst limit refuses before the backstop does.
  accounts: { open: { enforcement: { mode: 'measure', from: null } } },
});

const HISTORY = '/v1/models/aurora-2/history?kind=score';
const LONG = 'x'.repeat(2_500);

test('the backstop comes before the plan’s features', async () => {
  const customer = await api.accounts.add({ plan: 'community', contract: { burst_per_minute: 1 } });
  const statuses: number[] = [];
  for (let round = 0; round < 31; round += 1) statuses.push((await api.ask(customer, '/v1/snapshots')).statusCode);
  expect(statuses).toEqual([...Array(30).fill(403), 429]);
});

test('the method comes before the plan’s features, these before the length of the path, and that before parameters', async () => {
  const { community, builder } = api.accounts.customers;
  const statusOf = async (...asked: Parameters<typeof api.ask>) => (await api.ask(...asked)).statusCode;
  expect(await statusOf(community, '/v1/changes', { method: 'POST' })).toBe(405);
  expect(await statusOf(builder, '/v1/changes?limit=x', { method: 'POST' })).toBe(405);
  expect(await statusOf(community, `/v1/snapshots/${LONG}/download`)).toBe(403);
  expect(await statusOf(builder, `/v1/snapshots/${LONG}/download`)).toBe(414);
  expect(await statusOf(builder, `/v1/models/${LONG}/history?kind=x`)).toBe(414);
});

test('parameters come before the plan’s window', async () => {
  const { community } = api.accounts.customers;
  const old = `${HISTORY}&from=2020-01-01`;
  expect((await api.ask(community, old)).json().error.code).toBe('history_window_exceeded');
  const response = await api.ask(community, old.replace('kind=score', 'kind=none'));
  expect([response.statusCode, response.json().detail]).toMatchObject([422, [{ loc: ['query', 'kind'] }]]);
});

test('the window, an expired cursor and an unseen snapshot come before conditional headers', async () => {
  const { builder } = api.accounts.customers;
  const urls = [
    `${HISTORY}&from=2020-01-01`,
    '/v1/changes?cursor=MA',
    `/v1/snapshots/${SAMPLE_DAYS[0]}/download?dataset=models`,
  ];
  for (const headers of [{ 'if-none-match': '*' }, { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }]) {
    const answers = await Promise.all(urls.map((url) => api.ask(builder, url, { headers })));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 410, 404]);
  }
});
