import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestAccounts, type TestAccounts } from '../../../test/support/api/test-accounts.ts';
import { startServer } from '../../../test/support/server/start-server.ts';
import { bindAccess, getVisit } from '../bind-access.ts';
import { AccessControl, type RouteAccess } from './access-control.ts';

const CLOCK = () => new Date('2026-06-30T12:00:00Z');
const ROUTE: RouteAccess = { name: '/v1/models', capability: 'current', feature: null, limitPerMinute: 5 };
const SNAPSHOTS: RouteAccess = { ...ROUTE, name: '/v1/snapshots', capability: 'snapshots', feature: 'snapshots' };

let subject: TestAccounts;
beforeAll(async () => {
  subject = await openTestAccounts({}, CLOCK);
});
afterAll(() => subject?.close());

describe('admitted without a server', () => {
  test('without plans the backstop is the route’s own, unless another is configured for its name', async () => {
    const { key } = await subject.add({ plan: 'commercial', contract: { burst_per_minute: 10_000 } });
    const control = new AccessControl({
      accounts: subject.accounts,
      clock: CLOCK,
      capabilities: { plans: 'planned' }, // So that what was bought raises no backstop.
      backstop: { '/v1/snapshots': 2 },
      countFailure: async () => {},
    });
    const refusals = async (route: RouteAccess) => {
      const codes: unknown[] = [];
      for (let i = 0; i < 6; i += 1)
        codes.push((await control.admit({ bearerToken: key, clientAddress: undefined }, route)).refusal?.code);
      return codes.filter((code) => code === 'rate_limit_exceeded').length;
    };
    expect([await refusals(ROUTE), await refusals(SNAPSHOTS)]).toEqual([1, 4]);
  });
});

describe('bound to a server', () => {
  const open = async (addRoutes: (app: FastifyInstance) => void) => {
    const guard = (app: FastifyInstance) =>
      bindAccess(app, {
        accounts: subject.accounts,
        clock: CLOCK,
        capabilities: {},
        backstop: {},
        failedAttemptsMax: 60,
        basePath: '',
      });
    return (await startServer(async (app) => addRoutes(app), { guard })).app;
  };

  test('an answer that fails while it is sent gives its unit back, for it becomes a 500', async () => {
    const fault = { next: true };
    const app = await open((scope) => {
      scope.addHook('onSend', async () => {
        if (!fault.next) return;
        fault.next = false;
        throw new Error('the answer could not be compressed');
      });
      scope.get('/', { config: { access: ROUTE } }, async (request) => {
        await getVisit(request).takeUnit();
        return 'fine';
      });
    });
    const headers = { authorization: `Bearer ${subject.customers.community.key}` };
    const failed = await app.inject({ url: '/', headers });
    expect([failed.statusCode, failed.headers['x-quota-used']]).toEqual([500, '0']);
    const next = await app.inject({ url: '/', headers });
    expect([next.statusCode, next.headers['x-quota-used']]).toEqual([200, '1']);
  });
});
