/** The search of the documentation, and what people and programs get where it has no page (specification "Documentation"). */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { API_ERRORS } from '../../api/data/api-errors.ts';
import { DATA_ROUTES } from '../../api/data/routes/data-routes.ts';
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

const api = useApi({
  days: SAMPLE_DAYS,
  settings: { basePath: '/stats' },
  accounts: {},
  guide: () => openGuide({ root: '/stats' }),
});

const search = (query: string) => api.get(`/stats/docs/search?q=${encodeURIComponent(query)}`);
const resultsIn = (html: string) => [...html.matchAll(/<h2><a href="([^"]*)"/g)].map(([, link = '']) => link);

describe('a search', () => {
  test.each([
    ['cursor_expired', '/stats/docs/errors/cursor_expired'],
    ['cursor expired', '/stats/docs/errors/cursor_expired'],
    ['X-Quota-Remaining', '/stats/docs/limits#response-headers'],
    ['has_more', '/stats/docs/mirror#cursors'],
    ['If-None-Match', '/stats/docs/lists#request-only-what-is-new'],
    ['percent-encoded', '/stats/docs/records#ids'],
    ['snapshots', '/stats/docs/mirror#snapshots'],
    ['idempotency', '/stats/docs/limits#retry-without-paying-twice'],
    ['pythn mirror', '/stats/docs/mirror#a-mirror-in-python'],
    ['webhok signature', '/stats/docs/webhooks#what-you-receive'],
  ])('for «%s» finds %s among the first three', async (query, link) => {
    const { statusCode, body } = await search(query);
    expect([statusCode, resultsIn(body).slice(0, 3)]).toEqual([200, expect.arrayContaining([link])]);
  });

  test('finds every route and every error code by its name', async () => {
    for (const { access } of DATA_ROUTES) {
      const found = resultsIn((await search(access.name)).body);
      const anchor = `get-${access.name.toLowerCase().replaceAll(/[^a-z_-]/g, '')}`.replace('v', 'v1');
      expect(found.slice(0, 3), access.name).toContainEqual(expect.stringContaining(anchor));
    }
    for (const code of Object.keys(API_ERRORS)) {
      expect(resultsIn((await search(code)).body)[0]).toBe(`/stats/docs/errors/${code}`);
    }
  });

  test('leads to places that are there', async () => {
    for (const query of ['cursor', 'plan', 'price', 'GET']) {
      const found = resultsIn((await search(query)).body);
      expect(found.length).toBeGreaterThan(3);
      for (const link of found) {
        const [path = '', anchor] = link.split('#', 2);
        const { statusCode, body } = await api.get(path);
        expect([link, statusCode]).toEqual([link, 200]);
        if (anchor !== undefined) expect(body).toContain(` id="${anchor}"`);
      }
    }
  });

  test('shows 20 places at most, and those with some of the words where none has all', async () => {
    expect(resultsIn((await search('a record')).body)).toHaveLength(20);
    const some = resultsIn((await search('webhook zxqvwy')).body);
    expect(some[0]).toContain('/docs/webhooks');
  });

  test('has what was asked in its field, and marks what was found, or says that nothing was', async () => {
    const { body } = await search('cursor');
    expect(body).toContain('value="cursor"');
    expect(body).toMatch(/<mark>[Cc]ursor<\/mark>/);
    for (const { statusCode, body: empty } of [await search(''), await api.get('/stats/docs/search')])
      expect([statusCode, empty.includes('<input id="q" type="search"')]).toEqual([200, true]);
    expect(textOf((await search('zxqvwy')).body)).toContain('No results for “zxqvwy”.');
  });

  test.each([
    [`/stats/docs/search?q=${'a'.repeat(201)}`, 'at most 200 characters'],
    ['/stats/docs/search?q=a&q=b', 'Give the parameter q only once.'],
  ])('%s is refused with 422', async (url, message) => {
    const { statusCode, headers, body } = await api.get(url, { 'if-none-match': '*' });
    expect([statusCode, headers['content-type']]).toEqual([422, 'text/html; charset=utf-8']);
    expect([headers['cache-control'], 'etag' in headers]).toEqual(['no-store', false]);
    expect(textOf(body)).toContain(message);
  });

  test('has a tag, and is 304 where that, or any, is sent', async () => {
    const { headers } = await search('cursor');
    expect(headers['cache-control']).toBe('public, max-age=300');
    for (const sent of [String(headers.etag), '*']) {
      const response = await api.get('/stats/docs/search?q=cursor', { 'if-none-match': sent });
      expect([response.statusCode, response.body, response.headers.etag]).toEqual([304, '', headers.etag]);
    }
    expect((await search('cursors')).headers.etag).not.toBe(headers.etag);
  });

  test('whatever is asked is text, and nothing of it runs', async () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'-alert(1)-'", '&lt;', '\u202e'),
      fc.constantFrom('cursor', '.*', '(', '[a-', '\\', '$&', 'https://api.example.com', '{{plans}}', '__proto__'),
    );
    const query = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const { statusCode, body } = await search(text);
        expect(statusCode).toBe(text.length > 200 ? 422 : 200);
        expect(activeParts(body)).toEqual([]);
        if (statusCode === 200 && resultsIn(body).length === 0 && text.trim() !== '')
          expect(textOf(body).replaceAll(/\s/g, '')).toContain(text.replaceAll(/[\s\0]/g, ''));
      }),
      { numRuns: 200 },
    );
  });
});

test('where a page is not live its sections are not found', async () => {
  const own = await openApi({ days: SAMPLE_DAYS, guide: () => openGuide({ planned: ['webhooks'] }) });
  onTestFinished(() => own.close());
  const found = resultsIn((await own.get('/docs/search?q=signature')).body);
  expect(found.filter((link) => link.includes('webhooks'))).toEqual([]);
});

/** As Chromium asks for a page. */
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
};
const placesIn = (html: string) =>
  [...html.slice(html.indexOf('<main')).matchAll(/<li><a href="([^"]*)"/g)].map(([, link = '']) => link);
const pagesIn = (html: string) => placesIn(html).map((place) => place.replace(/#.*/, ''));

describe('a person without a page', () => {
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
    expect(textOf(body)).toContain(`No page has the address ${url.split('?', 1)[0]}.`);
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
    expect([statusCode, textOf(body).includes(`No page has the address ${url}.`)]).toEqual([404, true]);
    expect(body).toContain(`value="${query}"`);
    if (place !== undefined) expect(pagesIn(body)).toContain(place);
  });

  test('who names the whole URL in the request, as to a proxy, sees its path', async () => {
    const port = await listenOnPort(api.app);
    const target = 'http://evil.example/stats/docs/webhoks?x=limits';
    const { status, body } = await sendRaw(port, requestText(target, { ...BROWSER, Connection: 'close' }));
    expect([status, body.includes('evil')]).toEqual([404, false]);
    expect(textOf(body)).toContain('No page has the address /stats/docs/webhoks.');
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

describe('a program without a page', () => {
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

test('an address that asks more often than the search answers is told by the envelope', async () => {
  const own = await openPublic({ guide: () => openGuide({ publicRequestsMax: 2 }) });
  const ask = async () => String((await own.get('/docs/webhoks', BROWSER)).headers['content-type']).split(';')[0];
  expect([await ask(), await ask(), await ask()]).toEqual(['text/html', 'text/html', 'application/json']);
});

test.each(['/docs/webhoks', '/docs/search?q=plan'])(
  '%s where requests can not be counted is 503 in the envelope, not one too many',
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
