import { expect, test } from 'vitest';
import { useConsole } from '../support/console/use-console.ts';

const console = useConsole({ pagesPerMinute: 5 });

test('one person gets so many pages in a minute, and others go on', async () => {
  const org = await console.organization({ 'ada@example.com': 'owner', 'max@example.com': 'member' });
  const [ada, max] = [await console.signIn('ada@example.com'), await console.signIn('max@example.com')];
  const statuses: number[] = [];
  for (let count = 0; count < 7; count += 1) statuses.push((await ada.get(`/console/orgs/${org}`)).statusCode);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  expect(Number((await ada.get(`/console/orgs/${org}`)).headers['retry-after'])).toBeGreaterThan(0);
  expect((await max.get(`/console/orgs/${org}`)).statusCode).toBe(200);
  const stranger = await console.signIn('new@example.com');
  for (let count = 0; count < 6; count += 1) statuses.push((await stranger.get('/console/welcome')).statusCode);
  expect(statuses.slice(7), 'also without an organization').toEqual([200, 200, 200, 200, 200, 429]);
});
