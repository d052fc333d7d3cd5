import { expect, test } from 'vitest';
import type { HealthProblem } from '../../runtime/health-problem.ts';
import { openOwnApi } from '../../test/support/api/use-api.ts';
import { type HealthSource, readinessOf } from './health.ts';

const SINCE = new Date('2026-06-30T12:00:00Z');
const problemOf = (code: string): HealthProblem => ({ code, message: `a ${code}`, since: SINCE });
const publicProblem = (code: string) => ({ code, message: `a ${code}`, since: SINCE.toISOString() });
const RELEASE = { day: '2026-06-29', data_as_of: '2026-06-29T23:59:59Z', published_at: '2026-06-30T00:20:00Z' };

function askReady(health: HealthSource, problems: Readonly<Record<string, HealthProblem>> = {}, isStopping = false) {
  const { isReady, body } = readinessOf(health, (part) => problems[part], { isStopping });
  return [isReady, body];
}

test('the problem of every part is told, and the service is ready all the same', () => {
  const parts = { accounts: problemOf('unavailable'), limits: problemOf('unavailable'), schedule: problemOf('held') };
  expect(askReady({ release: RELEASE, problem: problemOf('corrupt') }, parts)).toEqual([
    true,
    {
      status: 'ready',
      release: RELEASE,
      problem: publicProblem('corrupt'),
      problems: [
        { part: 'view', ...publicProblem('corrupt') },
        { part: 'accounts', ...publicProblem('unavailable') },
        { part: 'limits', ...publicProblem('unavailable') },
        { part: 'schedule', ...publicProblem('held') },
      ],
    },
  ]);
});

test('a service that is about to stop is not ready, whatever it serves', () => {
  expect(askReady({ release: RELEASE, problem: undefined }, {}, true)).toEqual([
    false,
    { status: 'stopping', problem: null, problems: [] },
  ]);
});

test('a service that has nothing to serve yet tells its problems too', () => {
  expect(askReady({ release: undefined, problem: undefined }, { accounts: problemOf('unavailable') })).toEqual([
    false,
    { status: 'starting', problem: null, problems: [{ part: 'accounts', ...publicProblem('unavailable') }] },
  ]);
});

test('/health/live says that the process lives, before and after the first release', async () => {
  const api = await openOwnApi({ days: async () => {} });
  const live = async () => {
    const { statusCode, headers, body } = await api.get('/health/live');
    return [statusCode, headers['cache-control'], JSON.parse(body)];
  };
  for (const path of ['/health/ready', '/v1/models']) {
    const { statusCode, headers } = await api.get(path);
    expect([path, statusCode, headers['retry-after']]).toEqual([path, 503, '5']);
  }
  expect(await live()).toEqual([200, 'no-store', { status: 'live' }]);
  await api.store.publish('2026-06-01', { models: [{ id: 'a', name: 'A' }] });
  await api.follower.refresh();
  expect((await api.get('/health/ready')).statusCode).toBe(200);
  expect(await live()).toEqual([200, 'no-store', { status: 'live' }]);
});
