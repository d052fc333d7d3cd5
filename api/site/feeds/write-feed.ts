import { generateAtomFeed, generateJsonFeed } from 'feedsmith';
import { FEED_AUTHOR, FEED_TYPES, type Feed, type FeedFormat } from './feed.ts';

/** Writes a feed. */
export const WRITE_FEED: Readonly<Record<FeedFormat, (feed: Feed) => string>> = { atom: atomOf, json: jsonFeedOf };

/** A feed as Atom (RFC 4287). All of its text is text, none is HTML. */
function atomOf(feed: Feed): string {
  const document = generateAtomFeed({
    id: feed.id,
    title: { value: marked(feed.title) },
    subtitle: { value: marked(feed.subtitle) },
    updated: new Date(feed.updated),
    authors: [{ name: FEED_AUTHOR, uri: feed.homeUrl }],
    generator: { text: FEED_AUTHOR, uri: feed.homeUrl },
    links: [
      { rel: 'self', type: mediaType('atom'), href: feed.urls.atom },
      { rel: 'alternate', type: 'text/html', href: feed.pageUrl },
      { rel: 'alternate', type: mediaType('json'), href: feed.urls.json },
    ],
    entries: feed.entries.map(({ id, title, text, at, pageUrl, topic }) => ({
      id,
      title: { value: marked(title) },
      content: { value: marked(text), type: 'text' },
      published: new Date(at),
      updated: new Date(at),
      links: [{ rel: 'alternate', type: 'text/html', href: pageUrl }],
      categories: [{ term: topic }],
    })),
  });
  return document.replaceAll(MARKS, (mark) => ENTITIES[mark.charCodeAt(0) - FIRST_MARK] ?? '');
}

/**
 * The signs of XML, and noncharacters that stand for them while a document is made: plain text has none of these. The generator would put
 * text with such signs into CDATA sections, with white space around that isn't ours.
 */
const SIGNS = ['&', '<', '>'];
const ENTITIES = ['&amp;', '&lt;', '&gt;'];
const FIRST_MARK = 0xfdd0;
const MARKS = /[\ufdd0-\ufdd2]/gu;

function marked(text: string): string {
  return text.replaceAll(/[&<>]/g, (sign) => String.fromCharCode(FIRST_MARK + SIGNS.indexOf(sign)));
}

/** A feed as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
function jsonFeedOf(feed: Feed): string {
  const generated = generateJsonFeed({
    title: feed.title,
    description: feed.subtitle,
    home_page_url: feed.pageUrl,
    feed_url: feed.urls.json,
    authors: [{ name: FEED_AUTHOR, url: feed.homeUrl }],
    language: 'en',
    items: feed.entries.map(({ id, title, text, at, pageUrl, topic }) => ({
      id,
      url: pageUrl,
      title,
      content_text: text,
      date_published: new Date(at),
      date_modified: new Date(at),
      tags: [topic],
    })),
  });
  // The generator leaves out an empty list, which a feed has to have.
  return JSON.stringify({ items: [], ...Object(generated) });
}

function mediaType(format: FeedFormat): string {
  return FEED_TYPES[format].replace(/;.*/, '');
}
