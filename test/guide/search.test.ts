/** The search of the documentation (specification "Documentation"). */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { API_ERRORS } from '../../api/data/api-errors.ts';
import { DATA_ROUTES } from '../../api/data/routes/data-routes.ts';
import { openApi } from '../support/api/open-api.ts';
import { useApi } from '../support/api/use-api.ts';
import { openGuide } from '../support/guide/use-guide.ts';
import { SAMPLE_DAYS } from '../support/pipeline/sample-store.ts';
import { activeParts, textOf } from '../support/site/elements.ts';

const api = useApi({ days: SAMPLE_DAYS, settings: { basePath: '/stats' }, guide: () => openGuide({ root: '/stats' }) });

const search = (query: string) => api.get(`/stats/docs/search?q=${encodeURIComponent(query)}`);
const resultsIn = (html: string) => [...html.matchAll(/<h2><a href="([^"]*)"/g)].map(([, link = '']) => link);

describe('a search', () => {
  test.each([
    ['cursor_expired', '/stats/docs/errors/cursor_expired'],
    ['cursor expired', '/stats/docs/errors/cursor_expired'],
    ['X-Quota-Remaining', '/stats/docs/limits#headers-that-tell'],
    ['has_more', '/stats/docs/mirror#cursors'],
    ['If-None-Match', '/stats/docs/lists#ask-only-for-what-is-new'],
    ['percent-encoded', '/stats/docs/records#ids'],
    ['snapshots', '/stats/docs/mirror#snapshots'],
    ['idempotency', '/stats/docs/limits#sending-again-without-paying-twice'],
    ['pythn mirror', '/stats/docs/mirror#a-whole-mirror-in-python'],
    ['webhok signature', '/stats/docs/webhooks#what-arrives'],
  ])('for «%s» finds %s among the first three', async (query, link) => {
    const { statusCode, body } = await search(query);
    expect([statusCode, resultsIn(body).slice(0, 3)]).toEqual([200, expect.arrayContaining([link])]);
  });

  test('finds every route and every error code by its name', async () => {
    for (const { access } of DATA_ROUTES) {
      const found = resultsIn((await search(access.name)).body);
      const anchor = `get-${access.name.toLowerCase().replaceAll(/[^a-z_]/g, '')}`.replace('v', 'v1');
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
    expect(textOf((await search('zxqvwy')).body)).toContain('Nothing was found for “zxqvwy”.');
  });

  test.each([
    [`/stats/docs/search?q=${'a'.repeat(201)}`, 'at most 200 characters'],
    ['/stats/docs/search?q=a&q=b', 'Give q once.'],
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
      const answer = await api.get('/stats/docs/search?q=cursor', { 'if-none-match': sent });
      expect([answer.statusCode, answer.body, answer.headers.etag]).toEqual([304, '', headers.etag]);
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

  test('takes so little of the processor that nobody can keep the service busy with it', async () => {
    for (const query of ['cursor '.repeat(28), 'aaaaa '.repeat(33), 'a '.repeat(100), 'abcdefghij'.repeat(20)]) {
      const before = process.cpuUsage();
      for (let times = 0; times < 5; times++) expect((await search(query.trim())).statusCode).toBe(200);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 5, 'microseconds each').toBeLessThan(100_000);
    }
  });
});

test('where a page is not live its sections are not found', async () => {
  const own = await openApi({ days: SAMPLE_DAYS, guide: () => openGuide({ planned: ['webhooks'] }) });
  onTestFinished(() => own.close());
  const found = resultsIn((await own.get('/docs/search?q=signature')).body);
  expect(found.filter((link) => link.includes('webhooks'))).toEqual([]);
});
