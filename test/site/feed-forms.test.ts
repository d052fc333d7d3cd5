/** What feeds are written as, read by programs that have nothing to do with what writes them. */
import { describe, expect, test } from 'vitest';
import { type Item, usePublic } from '../support/site/use-public.ts';
import { childrenOf, parseXml, textOf, type XmlElement } from '../support/site/xml-tree.ts';
import { publishToldDays } from '../worlds/told-days.ts';

const ATOM = 'http://www.w3.org/2005/Atom';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const ODD_ID = encodeURIComponent('odd/<b>:1@v2.atom');
const MODELS = ['a', 'd', 'cjk', ODD_ID].map((id) => `models/${id}`);
const PATHS = ['changes', 'models', ...MODELS, 'rankings/general', 'rankings/code'];
const FEEDS_URL = 'http://localhost:80';

const api = usePublic({ days: publishToldDays });

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
