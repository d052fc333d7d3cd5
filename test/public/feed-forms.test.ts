/** What feeds are written as, read by programs that have nothing to do with what writes them. */
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api/open-api.ts';
import { FEEDS_URL, type Item, openFeeds } from '../support/public/open-feeds.ts';
import { childrenOf, parseXml, textOf, type XmlElement } from '../support/public/xml-tree.ts';
import { ODD_NAME, publishToldDays } from '../worlds/told-days.ts';

const ATOM = 'http://www.w3.org/2005/Atom';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const ODD_ID = encodeURIComponent('odd/<b>:1@v2.atom');
const PATHS = [
  'changes',
  'models',
  'models/a',
  'models/d',
  'models/cjk',
  `models/${ODD_ID}`,
  'rankings/general',
  'rankings/code',
];

let api: TestApi;
beforeAll(async () => {
  api = await openFeeds({ days: publishToldDays });
}, 240_000);
afterAll(() => api?.close());

async function atomOf(path: string): Promise<XmlElement> {
  const response = await api.get(`/feeds/${path}.atom`);
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/atom+xml; charset=utf-8']);
  return parseXml(response.body);
}

const linksOf = (element: XmlElement, rel: string) =>
  childrenOf(element, 'link').filter(({ attributes }) => attributes['rel'] === rel);

describe.each(PATHS)('the feed %s', (path) => {
  test('has what RFC 4287 requires', async () => {
    const feed = await atomOf(path);
    expect([feed.name, feed.namespace]).toEqual(['feed', ATOM]);
    expect(textOf(feed, 'id')).toMatch(/^tag:localhost,2026-01-01:feeds\/.+$/);
    expect(textOf(feed, 'title')).toMatch(/^modelstats: /);
    expect(textOf(feed, 'updated')).toMatch(INSTANT);
    expect(childrenOf(feed, 'author').map((author) => textOf(author, 'name'))).toEqual(['modelstats']);
    expect(textOf(feed, 'generator')).toBe('modelstats');
    expect(childrenOf(feed, 'rights')).toEqual([]);
    expect(linksOf(feed, 'self').map(({ attributes }) => attributes['href'])).toEqual([
      `${FEEDS_URL}/feeds/${path}.atom`,
    ]);
    const page = /^(models|rankings)\//.test(path) ? `embed/${path}` : '';
    const alternates = linksOf(feed, 'alternate').map(({ attributes }) => [attributes['type'], attributes['href']]);
    expect(alternates).toEqual([
      ['text/html', `${FEEDS_URL}/${page}`],
      ['application/feed+json', `${FEEDS_URL}/feeds/${path}.json`],
    ]);
    for (const entry of childrenOf(feed, 'entry')) {
      expect(textOf(entry, 'id')).toMatch(/^tag:localhost,2026-06-0\d:.+\/\d+$/);
      expect(textOf(entry, 'title')).not.toBe('');
      expect(textOf(entry, 'updated')).toMatch(INSTANT);
      expect(textOf(entry, 'published')).toBe(textOf(entry, 'updated'));
      const [content, ...others] = childrenOf(entry, 'content');
      expect([content?.attributes['type'], content?.children, others]).toEqual(['text', [], []]);
      expect(linksOf(entry, 'alternate')).toHaveLength(1);
    }
    const ids = childrenOf(feed, 'entry').map((entry) => textOf(entry, 'id'));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has what JSON Feed 1.1 requires, and says what Atom says', async () => {
    const response = await api.get(`/feeds/${path}.json`);
    expect(response.headers['content-type']).toBe('application/feed+json; charset=utf-8');
    const json = response.json();
    const atom = await atomOf(path);
    expect(json).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      title: textOf(atom, 'title'),
      description: textOf(atom, 'subtitle'),
      feed_url: `${FEEDS_URL}/feeds/${path}.json`,
      home_page_url: linksOf(atom, 'alternate')[0]?.attributes['href'],
      authors: [{ name: 'modelstats', url: `${FEEDS_URL}/` }],
      language: 'en',
    });
    const items: readonly Item[] = json.items;
    expect(items.map(({ id, title, content_text }) => ({ id, title, content_text }))).toEqual(
      childrenOf(atom, 'entry').map((entry) => ({
        id: textOf(entry, 'id'),
        title: textOf(entry, 'title'),
        content_text: textOf(entry, 'content'),
      })),
    );
    for (const item of items) {
      expect(item.date_published).toMatch(INSTANT);
      expect(item.date_modified).toBe(item.date_published);
      expect(item.url).toMatch(/^http:\/\/localhost/);
    }
  });
});

test('a model without news has a feed without entries, of the newest release', async () => {
  const { items } = (await api.get('/feeds/models/d.json')).json();
  expect(items).toHaveLength(1);
  const fresh = await openFeeds({
    days: (store) => store.publish('2026-06-01', { models: [{ id: 'd', name: 'D' }] }),
  });
  try {
    expect((await fresh.get('/feeds/models/d.json')).json().items).toEqual([]);
    const atom = parseXml((await fresh.get('/feeds/models/d.atom')).body);
    expect(childrenOf(atom, 'entry')).toEqual([]);
    expect(textOf(atom, 'updated')).toBe('2026-06-01T23:59:59.000Z');
  } finally {
    await fresh.close();
  }
});

test('instants are those as of which the releases hold', async () => {
  const feed = await atomOf('changes');
  const [newest] = childrenOf(feed, 'entry');
  expect(newest && textOf(newest, 'updated')).toBe('2026-06-08T23:59:59.000Z');
  expect(textOf(feed, 'updated')).toBe('2026-06-08T23:59:59.000Z');
});

test('names are text, whatever is in them', async () => {
  const { body } = await api.get('/feeds/changes.atom');
  const entry = childrenOf(parseXml(body), 'entry').find((candidate) =>
    textOf(candidate, 'id').includes('new-models/'),
  );
  expect(entry).toBeDefined();
  const odd = childrenOf(parseXml(body), 'entry').find((candidate) =>
    textOf(candidate, 'title').startsWith('4 new models'),
  );
  expect(odd && textOf(odd, 'title')).toContain(ODD_NAME);
  expect(odd && textOf(odd, 'content')).toContain('one two three (evilid)');
  expect(body.replaceAll(/<!\[CDATA\[[\s\S]*?\]\]>/g, '')).not.toContain('<script');
});

test('a feed is kept for its release, packed where it may be, and known by its tag', async () => {
  const first = await api.get('/feeds/changes.atom');
  const again = await api.get('/feeds/changes.atom');
  expect([again.headers['x-cache'], again.headers['cache-control']]).toEqual(['HIT', 'public, max-age=3600']);
  const same = await api.get('/feeds/changes.atom', { 'if-none-match': String(first.headers.etag) });
  expect([same.statusCode, same.body]).toEqual([304, '']);
  const packed = await api.get('/feeds/changes.atom', { 'accept-encoding': 'gzip' });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(packed.rawPayload).toString()).toBe(first.body);
});

test('methods but GET and HEAD are refused in both forms', async () => {
  for (const format of ['atom', 'json']) {
    const { statusCode, headers } = await api.app.inject({ method: 'POST', url: `/feeds/models/a.${format}` });
    expect([statusCode, headers['allow']]).toEqual([405, 'GET, HEAD']);
  }
});
