import { describe, expect, test } from 'vitest';
import { listenOnLoopback } from '../../test/support/server/listen-on-loopback.ts';
import { requestTo } from '../../test/support/server/outbound-settings.ts';
import { openReceiver } from '../../test/support/server/use-outbound.ts';
import { parseNetwork } from './address-check.ts';

const ANYWHERE = { max: 3, isAllowed: () => true };

/** A receiver that redirects from the paths of this table to their values, and answers all others. */
async function openSite(redirects: Readonly<Record<string, string>>, status = 302) {
  const seen: string[] = [];
  const opened = await openReceiver(
    ({ url = '', method = '' }, response) => {
      seen.push(`${method} ${url}`);
      const location = redirects[url];
      if (location === undefined) response.end('here');
      else response.writeHead(status, { location }).end('elsewhere');
    },
    { settings: { allow: [parseNetwork('127.0.0.1')] } },
  );
  return { ...opened, seen, host: `127.0.0.1:${opened.receiver.port}` };
}

test.each([300, 301, 302, 303, 304, 305, 307, 308, 399])(
  'a %d is a failure unless redirects are followed',
  async (status) => {
    const { receiver, outbound, seen, host } = await openSite({ '/a': '/b' }, status);
    const answer = await outbound.request(requestTo(`${receiver.url}/a`));
    const message = `${host} redirects (${status}), which is not followed`;
    expect(answer).toMatchObject({ kind: 'failure', reason: 'redirect', status, message });
    expect(seen).toEqual(['GET /a']);
  },
);

test('a POST is never sent on', async () => {
  const { receiver, outbound, seen } = await openSite({ '/a': '/b' }, 307);
  const request = requestTo(`${receiver.url}/a`, { method: 'POST', body: 'a', redirects: ANYWHERE });
  expect(await outbound.request(request)).toMatchObject({ kind: 'failure', reason: 'redirect', status: 307 });
  expect(seen).toEqual(['POST /a']);
});

describe('redirects that are followed', () => {
  test.each([301, 302, 303, 307, 308])('lead to where they say: %d', async (status) => {
    const { receiver, outbound, seen } = await openSite({ '/a': '/b?c', '/b?c': 'd' }, status);
    const answer = await outbound.request(requestTo(`${receiver.url}/a`, { redirects: ANYWHERE }));
    const body = Buffer.from('here');
    expect(answer).toMatchObject({ kind: 'response', status: 200, body, url: `${receiver.url}/d` });
    expect(seen).toEqual(['GET /a', 'GET /b?c', 'GET /d']);
  });

  test('are as many as the caller grants, and a circle ends', async () => {
    const { receiver, outbound, seen, host } = await openSite({ '/a': '/a' });
    const answer = await outbound.request(requestTo(`${receiver.url}/a`, { redirects: ANYWHERE }));
    const message = `${host} redirects more than 3 times`;
    expect(answer).toMatchObject({ kind: 'failure', reason: 'redirect', status: 302, message });
    expect(seen).toHaveLength(4);
  });

  test('lead nowhere that the caller does not allow', async () => {
    const { receiver, outbound, host } = await openSite({ '/a': 'https://example.com/b' });
    const asked: string[] = [];
    const isAllowed = (from: URL, to: URL) => {
      asked.push(`${from.href} ${to.href}`);
      return from.host === to.host;
    };
    const answer = await outbound.request(requestTo(`${receiver.url}/a`, { redirects: { max: 3, isAllowed } }));
    const message = `${host} redirects to example.com, which is not allowed`;
    expect(answer).toMatchObject({ kind: 'failure', reason: 'redirect', status: 302, message });
    expect(asked).toEqual([`${receiver.url}/a https://example.com/b`]);
  });

  test.each([
    ['https://', 'redirects (302) without a valid target'],
    ['https://[::1', 'redirects (302) without a valid target'],
  ])('have to name a URL: %j', async (location, problem) => {
    const { receiver, outbound, host } = await openSite({ '/a': location });
    const answer = await outbound.request(requestTo(`${receiver.url}/a`, { redirects: ANYWHERE }));
    expect(answer).toMatchObject({ kind: 'failure', reason: 'redirect', message: `${host} ${problem}` });
  });

  test('share one time with the first request', async () => {
    const { receiver, outbound } = await openReceiver((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 150);
    });
    // Each by itself is in time; all of them would take fifteen seconds.
    const redirects = { max: 100, isAllowed: () => true };
    const answer = await outbound.request(requestTo(receiver.url, { redirects, timeoutMs: 700 }));
    const message = `127.0.0.1:${receiver.port} did not respond within 0.7 s`;
    expect(answer).toMatchObject({ kind: 'failure', reason: 'timeout', message });
  });

  test.each([
    ['https://127.0.0.2:PORT/', '127.0.0.2 is not a public address'],
    ['//127.0.0.2:PORT/', '127.0.0.2 is not a public address'],
    ['https://0x7f.2:PORT/', '127.0.0.2 is not a public address'],
    ['https://[::ffff:127.0.0.2]:PORT/', '::ffff:7f00:2 is not a public address'],
    ['https://169.254.169.254/', '169.254.169.254 is not a public address'],
    ['http://127.0.0.1:PORT/', 'the URL must begin with https://'],
    ['file:///etc/passwd', 'the URL must begin with https://'],
    ['https://user@127.0.0.1:PORT/', 'the URL must not contain a user or password'],
    ['https://127.0.0.1:22/', 'port 22 is not allowed: use 443, or 1024 or higher'],
  ])('are checked like the first URL: %s', async (location, problem) => {
    const inside = await listenOnLoopback();
    const { receiver, outbound, host } = await openSite({ '/a': location.replace('PORT', String(inside.port)) });
    const answer = await outbound.request(requestTo(`${receiver.url}/a`, { redirects: ANYWHERE }));
    const message = `${host} redirects to a refused URL: ${problem}`;
    expect(answer).toMatchObject({ kind: 'failure', reason: 'blocked', message });
    expect(inside.connections()).toBe(0);
  });
});
