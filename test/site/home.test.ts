/** The service's first page (specification "First page"). */
import { expect, test } from 'vitest';
import { openGuide } from '../support/guide/use-guide.ts';
import { openPublic, usePublic } from '../support/site/use-public.ts';

const api = usePublic({
  settings: { basePath: '/stats' },
  guide: () => openGuide({ root: '/stats', hasConsole: false }),
});

const linksIn = (html: string) => [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link = '']) => link);
/** What other parts of the service answer, which aren't served here. */
const ELSEWHERE = ['/stats/console'];

test.each(['/stats', '/stats/'])(
  '%s tells of which day the data are, and every link of it leads somewhere',
  async (path) => {
    const { statusCode, headers, body } = await api.get(path);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('<time datetime="2026-06-03">3 Jun 2026</time>');
    const links = linksIn(body).filter((link) => !ELSEWHERE.includes(link));
    expect(links).toEqual(expect.arrayContaining(['/stats/docs', '/stats/openapi.json', '/stats/badges/source.svg']));
    for (const link of links) expect([link, (await api.get(link)).statusCode]).toEqual([link, 200]);
  },
);

test('it leads to the console where that is served', async () => {
  expect((await api.get('/stats/')).body).not.toContain('/console');
  const own = await openPublic({ hasConsole: true });
  expect(linksIn((await own.get('/')).body)).toContain('/console');
});

test('nothing but its own stylesheet is loaded into it, whose name changes with it and which is kept', async () => {
  const { headers, body } = await api.get('/stats/');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'; img-src 'self';/);
  expect(body).not.toMatch(/<script|<style| style=| on\w+=/);
  expect(body).toContain('rel="icon" type="image/svg+xml" href="/stats/favicon.ico"');
  const [stylesheet = ''] = linksIn(body).filter((link) => link.includes('.css'));
  expect(stylesheet).toMatch(/^\/stats\/home\/home\.css\?v=[0-9a-f]{12}$/);
  const response = await api.get(stylesheet);
  expect(response.headers).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
});

test('before there is anything to answer from it says so, with 503, and still leads to the documentation', async () => {
  const own = await openPublic({ days: async () => {} });
  const { statusCode, headers, body } = await own.get('/');
  expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
    503,
    'text/html; charset=utf-8',
    'no-store',
  ]);
  expect(body).toContain('No data is available at the moment');
  expect(linksIn(body)).toEqual(expect.arrayContaining(['/docs', '/openapi.json']));
});
