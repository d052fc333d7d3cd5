import { expect, onTestFinished, test } from 'vitest';
import { openTestAccounts } from '../../../test/support/api/test-accounts.ts';
import { startServer } from '../../../test/support/server/start-server.ts';
import { bindAccess, getAdmission } from '../bind-access.ts';
import type { RouteAccess } from './access-control.ts';

const CLOCK = () => new Date('2026-06-30T12:00:00Z');
const ROUTE: RouteAccess = { name: '/v1/models', capability: 'current', feature: null, limitPerMinute: 5 };

test('an answer that fails while it is sent gives its unit back, for it becomes a 500', async () => {
  const { accounts, customers, close } = await openTestAccounts({}, CLOCK);
  onTestFinished(close);
  const options = { accounts, clock: CLOCK, capabilities: {}, backstop: {}, failedAttemptsMax: 60, basePath: '' };
  const fault = { next: true };
  const { app } = await startServer(
    async (scope) => {
      scope.addHook('onSend', async () => {
        if (!fault.next) return;
        fault.next = false;
        throw new Error('the answer could not be compressed');
      });
      scope.get('/', { config: { access: ROUTE } }, async (request) => {
        await getAdmission(request).takeUnit();
        return 'fine';
      });
    },
    { guard: (scope) => bindAccess(scope, options) },
  );
  const headers = { authorization: `Bearer ${customers.community.key}` };
  const failed = await app.inject({ url: '/', headers });
  expect([failed.statusCode, failed.headers['x-quota-used']]).toEqual([500, '0']);
  const next = await app.inject({ url: '/', headers });
  expect([next.statusCode, next.headers['x-quota-used']]).toEqual([200, '1']);
});
