import { expect, test } from 'vitest';
import { openApi } from '../test/support/api/open-api.ts';

test('/health/live says that the process lives, before and after the first release', async () => {
  const api = await openApi({ days: async () => {} });
  const live = async () => {
    const { statusCode, headers, body } = await api.get('/health/live');
    return [statusCode, headers['cache-control'], JSON.parse(body)];
  };
  try {
    expect((await api.get('/health/ready')).statusCode).toBe(503);
    expect(await live()).toEqual([200, 'no-store', { status: 'live' }]);
    await api.store.publish('2026-06-01', { models: [{ id: 'a', name: 'A' }] });
    await api.follower.refresh();
    expect((await api.get('/health/ready')).statusCode).toBe(200);
    expect(await live()).toEqual([200, 'no-store', { status: 'live' }]);
  } finally {
    await api.close();
  }
});
