import { expect, test } from 'vitest';
import { useApi } from '../test/support/api/use-api.ts';
import { SAMPLE_DAYS } from '../test/support/pipeline/sample-store.ts';

const open = useApi({ days: SAMPLE_DAYS.slice(0, 1) });
const guarded = useApi({ days: SAMPLE_DAYS.slice(0, 1), settings: { metricsToken: 'a token for tests' } });

interface Caller {
  readonly address?: string;
  readonly headers?: Record<string, string>;
}

async function ask(api: typeof open, { address = '127.0.0.1', headers = {} }: Caller = {}) {
  const { statusCode, body } = await api.app.inject({ url: '/metrics', remoteAddress: address, headers });
  return { statusCode, body };
}

test('metrics are for callers on this machine or with the token; for others there is nothing', async () => {
  await open.get('/v1/models');
  const told = await ask(open);
  expect(told.statusCode).toBe(200);
  expect(told.body).toMatch(/^modelstats_request_duration_seconds_count\{route="\/v1\/models",status="200"\} 1$/m);
  expect((await ask(open, { address: '::1' })).statusCode).toBe(200);
  const strangers: readonly Caller[] = [
    { address: '192.0.2.1' },
    { headers: { 'x-forwarded-for': '192.0.2.1' } },
    { headers: { forwarded: 'for=192.0.2.1' } },
  ];
  for (const stranger of strangers) expect((await ask(open, stranger)).statusCode).toBe(404);
  const bearer = (token: string) => ({ address: '192.0.2.1', headers: { authorization: `Bearer ${token}` } });
  expect((await ask(guarded, bearer('a token for tests'))).statusCode).toBe(200);
  for (const caller of [{}, bearer('another'), { address: '192.0.2.1' }]) {
    const { statusCode, body } = await ask(guarded, caller);
    expect([statusCode, JSON.parse(body).error.code]).toEqual([404, 'not_found']);
  }
});
