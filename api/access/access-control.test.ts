import fastify from 'fastify';
import { expect, test } from 'vitest';
import { openTestAccounts } from '../testing/test-accounts.ts';
import { AccessControl } from './access-control.ts';

const CLOCK = () => new Date('2026-06-30T12:00:00Z');
const ROUTE = { route: '/v1/models', capability: 'current', feature: null } as const;

test('an answer that fails while it is sent gives its unit back, for it becomes a 500', async () => {
  const { accounts, customers, close } = await openTestAccounts({}, CLOCK);
  const access = new AccessControl({ accounts, clock: CLOCK, capabilities: {}, countFailure: async () => {} });
  const app = fastify();
  const fault = { next: true };
  app.addHook('onRequest', (request) => access.admit(request, ROUTE));
  app.addHook('onSend', (request, reply) => access.settle(request, reply));
  app.addHook('onSend', async () => {
    if (!fault.next) return;
    fault.next = false;
    throw new Error('the answer could not be compressed');
  });
  app.addHook('onResponse', async (request) => access.finish(request));
  app.get('/', async (request) => {
    await access.takeUnit(request);
    return 'fine';
  });
  const headers = { authorization: `Bearer ${customers.community.key}` };
  const failed = await app.inject({ url: '/', headers });
  expect([failed.statusCode, failed.headers['x-quota-used']]).toEqual([500, '0']);
  const next = await app.inject({ url: '/', headers });
  expect([next.statusCode, next.headers['x-quota-used']]).toEqual([200, '1']);
  await app.close();
  await close();
});

test('a route that was reached without being admitted grants nothing', async () => {
  const { accounts, close } = await openTestAccounts({}, CLOCK);
  const access = new AccessControl({ accounts, clock: CLOCK, capabilities: {}, countFailure: async () => {} });
  const app = fastify();
  app.get('/rights', async (request) => access.rightsOf(request));
  app.get('/unit', async (request) => access.takeUnit(request));
  app.get('/account', async (request) => access.accountOf(request));
  for (const url of ['/rights', '/unit', '/account']) expect((await app.inject(url)).statusCode).toBe(500);
  await app.close();
  await close();
});
