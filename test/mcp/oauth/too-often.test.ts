import { expect, test } from 'vitest';
import { useConsole } from '../../support/console/use-console.ts';

const console = useConsole({ oauthPerMinute: 5 });
const ask = (remoteAddress: string) =>
  console.api.app.inject({ method: 'POST', url: '/oauth2/token', remoteAddress, payload: '' });

test('addresses of one IPv6 /64 count as one', async () => {
  for (let number = 1; number <= 5; number += 1) await ask(`2001:db8::${number}`);
  const refused = await ask('2001:db8::99');
  expect([refused.statusCode, refused.json()]).toMatchObject([429, { error: 'temporarily_unavailable' }]);
  expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  expect((await ask('2001:db8:0:1::1')).statusCode).toBe(400);
});

test('one client address asks the routes of OAuth no more often than is set', async () => {
  const statuses: number[] = [];
  for (let number = 0; number < 7; number += 1) statuses.push((await ask('203.0.113.7')).statusCode);
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429]);
  expect((await ask('203.0.113.8')).statusCode).toBe(400);
});
