import { expect, test } from 'vitest';
import { AppError } from '../../runtime/errors.ts';
import { openApi } from '../../test/support/api/open-api.ts';
import { startServer } from '../../test/support/server/start-server.ts';

test('/health/live says that the process lives, before and after the first release', async () => {
  const api = await openApi({ days: async () => {} });
  const live = async () => {
    const { statusCode, headers, body } = await api.get('/health/live');
    return [statusCode, headers['cache-control'], JSON.parse(body)];
  };
  try {
    for (const path of ['/health/ready', '/v1/models']) {
      const { statusCode, headers } = await api.get(path);
      expect([path, statusCode, headers['retry-after']]).toEqual([path, 503, '5']);
    }
    expect(await live()).toEqual([200, 'no-store', { status: 'live' }]);
    await api.store.publish('2026-06-01', { models: [{ id: 'a', name: 'A' }] });
    await api.follower.refresh();
    expect((await api.get('/health/ready')).statusCode).toBe(200);
    expect(await live()).toEqual([200, 'no-store', { status: 'live' }]);
  } finally {
    await api.close();
  }
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
