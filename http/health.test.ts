import { expect, test } from 'vitest';
import { AppError } from '../schemas/errors.ts';
import { startServer } from '../test/support/http/start-server.ts';
import type { HealthProblem, HealthSource } from './health.ts';

const SINCE = new Date('2026-06-30T12:00:00Z');
const problemOf = (code: string): HealthProblem => ({ code, message: `a ${code}`, since: SINCE });
const told = (code: string) => ({ code, message: `a ${code}`, since: SINCE.toISOString() });
const RELEASE = { day: '2026-06-29', data_as_of: '2026-06-29T23:59:59Z', published_at: '2026-06-30T00:20:00Z' };

async function askReady(health: HealthSource, problems: Readonly<Record<string, HealthProblem>> = {}) {
  const { app } = await startServer(async () => undefined, { health, findProblem: (part) => problems[part] });
  const { statusCode, body } = await app.inject('/health/ready');
  return [statusCode, JSON.parse(body)];
}

test('a service without problems says so', async () => {
  expect(await askReady({ release: RELEASE, problem: undefined })).toEqual([
    200,
    { status: 'ready', release: RELEASE, problem: null, problems: [] },
  ]);
});

test('the problem of every part is told, and the service is ready all the same', async () => {
  const parts = { accounts: problemOf('unavailable'), schedule: problemOf('held') };
  expect(await askReady({ release: RELEASE, problem: problemOf('corrupt') }, parts)).toEqual([
    200,
    {
      status: 'ready',
      release: RELEASE,
      problem: told('corrupt'),
      problems: [
        { part: 'view', ...told('corrupt') },
        { part: 'accounts', ...told('unavailable') },
        { part: 'schedule', ...told('held') },
      ],
    },
  ]);
});

test('a service that has nothing to serve yet tells its problems too', async () => {
  expect(await askReady({ release: undefined, problem: undefined }, { accounts: problemOf('unavailable') })).toEqual([
    503,
    { status: 'starting', problem: null, problems: [{ part: 'accounts', ...told('unavailable') }] },
  ]);
});

test('why something is not available is in the log once, not with each request', async () => {
  let cause = 'the disk is full';
  const { app, log } = await startServer(async (scope) => {
    scope.get('/data', async () => {
      throw new AppError('unavailable', 'not now', { cause: new Error(cause) });
    });
  });
  for (let i = 0; i < 20; i += 1) expect((await app.inject('/data')).statusCode).toBe(503);
  cause = 'the disk is gone';
  for (let i = 0; i < 20; i += 1) await app.inject('/data');
  expect(log.filter(({ msg }) => msg === 'not available').length).toBe(2);
});
