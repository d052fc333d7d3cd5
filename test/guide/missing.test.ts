/** What people and programs get where the documentation has no page (specification "Documentation"). */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../runtime/errors.ts';
import { steadyError } from '../support/api/answers.ts';
import { listenOnPort } from '../support/api/listen.ts';
import { openApi } from '../support/api/open-api.ts';
import { requestText, sendRaw } from '../support/api/raw-request.ts';
import { useApi } from '../support/api/use-api.ts';
import { openGuide } from '../support/guide/use-guide.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { activeParts, textOf } from '../support/site/elements.ts';
import { openPublic } from '../support/site/use-public.ts';

/** As Chromium asks for a page. */
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
};
const api = useApi({
  days: SAMPLE_DAYS,
  settings: { basePath: '/stats' },
  accounts: {},
  guide: () => openGuide({ root: '/stats' }),
});

const placesIn = (html: string) =>
  [...html.slice(html.indexOf('<main')).matchAll(/<li><a href="([^"]*)"/g)].map(([, link = '']) => link);
const pagesIn = (html: string) => placesIn(html).map((place) => place.replace(/#.*/, ''));

describe('a person', () => {
  test.each([
    ['/stats/docs/webhoks', '/stats/docs/webhooks'],
    ['/stats/docs/guide/mirror.md', '/stats/docs/mirror'],
    ['/stats/docs/errors/quota_exceded', '/stats/docs/errors/quota_exceeded'],
    ['/stats/docs/errors/no_quota?x=limits', '/stats/docs/limits'],
    ['/stats/docs/reference/webhooks/signing', '/stats/docs/webhooks#check-the-signature'],
  ])('who opens %s gets a page that leads to %s, with the search and the contents', async (url, place) => {
    const { statusCode, headers, body } = await api.get(url, BROWSER);
    expect([statusCode, 'etag' in headers]).toEqual([404, false]);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(placesIn(body).length).toBeLessThanOrEqual(5);
    expect(pagesIn(body)).toContain(place.replace(/#.*/, ''));
    expect(textOf(body)).toContain(`Nothing is at ${url.split('?', 1)[0]}.`);
    expect(body).toContain('<form action="/stats/docs/search">');
    expect(body).toContain('<a href="/stats/docs/authentication"');
    expect(activeParts(body)).toEqual([]);
  });

  test.each([
    ['/stats/docs/errors%2Fquota_exceeded', 'errors quota exceeded', '/stats/docs/errors/quota_exceeded'],
    ['/stats/docs/history%3Fx', 'history x', '/stats/docs/history'],
    ['/st%61ts/d%6Fcs/limits%2F', 'limits', '/stats/docs/limits'],
    ['/stats/docs/%25E4', 'E4', undefined],
    ['/stats/docs/webh%C3%B6oks', 'webhöoks', undefined],
  ])('who opens %s sees the address as it was sent, and the search has its words: %s', async (url, query, place) => {
    const { statusCode, body } = await api.get(url, BROWSER);
    expect([statusCode, textOf(body).includes(`Nothing is at ${url}.`)]).toEqual([404, true]);
    expect(body).toContain(`value="${query}"`);
    if (place !== undefined) expect(pagesIn(body)).toContain(place);
  });

  test('who names the whole URL in the request, as to a proxy, sees its path', async () => {
    const port = await listenOnPort(api.app);
    const target = 'http://evil.example/stats/docs/webhoks?x=limits';
    const { status, body } = await sendRaw(port, requestText(target, { ...BROWSER, Connection: 'close' }));
    expect([status, body.includes('evil')]).toEqual([404, false]);
    expect(textOf(body)).toContain('Nothing is at /stats/docs/webhoks.');
    expect(body).toContain('value="webhoks"');
    expect(placesIn(body)).toContain('/stats/docs/webhooks');
  });

  test('is led to nothing where no word of the address is known', async () => {
    const { statusCode, body } = await api.get('/stats/docs/zxqvwy', BROWSER);
    expect([statusCode, placesIn(body), body.includes('value="zxqvwy"')]).toEqual([404, [], true]);
  });

  test('is told whatever the address is, and nothing of it runs', async () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '%00', '$&', '__proto__', '..%2f'),
    );
    const segments = fc.array(word, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(segments, async (words) => {
        const path = `/stats/docs/none/${words.map(encodeURIComponent).join('/')}`;
        const { statusCode, body } = await api.get(path, BROWSER);
        expect(statusCode).toBe(404);
        expect(activeParts(body)).toEqual([]);
      }),
      { numRuns: 100 },
    );
    const long = await api.get(`/stats/docs/${'cursor-'.repeat(1500)}`, BROWSER);
    expect([long.statusCode, long.body.length < 20_000]).toEqual([404, true]);
  });

  test('is told with HEAD the same, and of methods that are not answered as programs are', async () => {
    const url = '/stats/docs/webhoks';
    const head = await api.app.inject({ method: 'HEAD', url, headers: BROWSER });
    expect([head.statusCode, head.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    const post = await api.app.inject({ method: 'POST', url, headers: BROWSER });
    expect([post.statusCode, post.json().error.code]).toEqual([404, 'not_found']);
  });
});

describe('a program', () => {
  test.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'application/json, text/html;q=0.9'])(
    'with Accept: %s gets the error that it always got',
    async (accept) => {
      const headers = accept === undefined ? {} : { accept };
      const nowhere = await api.get('/stats/docs/nope', headers);
      expect([nowhere.statusCode, nowhere.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
      expect(steadyError(nowhere)).toEqual(steadyError(await api.get('/stats/nope')));
      const noCode = await api.get('/stats/docs/errors/nope', headers);
      expect(noCode.json().error).toMatchObject({ code: 'not_found', param: 'code' });
    },
  );

  test('gets it outside of the documentation whatever it asks for', async () => {
    for (const url of ['/stats/docsx', '/stats/nope', '/stats/v1/nope', '/docs/nope']) {
      const { statusCode, headers } = await api.get(url, BROWSER);
      const status = url.includes('v1') ? 401 : 404;
      expect([url, statusCode, headers['content-type']]).toEqual([url, status, 'application/json; charset=utf-8']);
    }
  });
});

test('without the documentation all are told by the envelope', async () => {
  const own = await openApi({ days: SAMPLE_DAYS });
  onTestFinished(() => own.close());
  for (const url of ['/docs/nope', '/docs/errors/nope'])
    expect((await own.get(url, BROWSER)).json().error.code).toBe('not_found');
});

test('an address that asks more often than the search answers is told by the envelope', async () => {
  const own = await openPublic({ guide: () => openGuide({ publicRequestsMax: 2 }) });
  const ask = async () => String((await own.get('/docs/webhoks', BROWSER)).headers['content-type']).split(';')[0];
  expect([await ask(), await ask(), await ask()]).toEqual(['text/html', 'text/html', 'application/json']);
});

test.each(['/docs/webhoks', '/docs/search?q=plan'])(
  '%s where requests can not be counted is told as that, and not as one too many',
  async (url) => {
    const hit = async () => Promise.reject(new AppError('unavailable', 'nobody counts'));
    const own = await openPublic({
      accounts: { wrap: (accounts) => ({ ...accounts, limits: { ...accounts.limits, hit } }) },
      guide: () => openGuide(),
    });
    const { statusCode, body } = await own.get(url, BROWSER);
    expect([statusCode, JSON.parse(body).error.code]).toEqual([503, 'unavailable']);
  },
);
