import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { type Entry, tagsOf } from './entries.ts';

export const FEED_FORMATS = ['atom', 'json'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

export const FEED_AUTHOR = 'modelstats';

export const FEED_TYPES: Readonly<Record<FeedFormat, string>> = {
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

/** With fewer, weekly readers miss entries of busy months. */
export const ENTRIES_MAX = 100;

/** A feed without its addresses. */
export interface FeedContent {
  readonly title: string;
  readonly subtitle: string;
  /** Below the base URL, without the format: `feeds/models`. */
  readonly path: string;
  /** With its question mark; default: none. */
  readonly query?: string;
  /** The related page, below the base URL. */
  readonly page: string;
  /** Prefix of its entries' ids. */
  readonly tagPath: string;
  /** Newest first. */
  readonly entries: readonly Entry[];
}

interface Around {
  /** Of the catalog, oldest first: they date the entries. */
  readonly releases: readonly Pick<CatalogEntry, 'day' | 'data_as_of'>[];
  readonly baseUrl: string;
}

/** Adds addresses and dates, and cuts to the newest entries. */
export function feedOf({ query = '', ...content }: FeedContent, { releases, baseUrl }: Around) {
  const tags = tagsOf(baseUrl);
  const instants = new Map(releases.map(({ day, data_as_of }) => [day, data_as_of]));
  const newest = releases.at(-1)?.data_as_of ?? '';
  const entries = content.entries.slice(0, ENTRIES_MAX).map(({ day, topic, seq, title, text, page }) => {
    return {
      /** A `tag:` URI, the same in every format and forever. */
      id: tags.entry(day, `${content.tagPath}${topic}`, seq),
      /** One line of plain text. */
      title,
      /** Plain text, one line per thing. */
      text,
      /** Date of the data: an RFC 3339 instant. */
      at: instants.get(day) ?? newest,
      /** Its page: absolute. */
      pageUrl: `${baseUrl}/${page}`,
      /** For filters of feed readers. */
      topic,
    };
  });
  const urlOf = (format: FeedFormat) => `${baseUrl}/${content.path}.${format}${query}`;
  return {
    /** A `tag:` URI (RFC 4151), stable while the service keeps its name. */
    id: tags.feed(content.path + query),
    title: content.title,
    /** One sentence. */
    subtitle: content.subtitle,
    /** Its page: absolute. */
    pageUrl: `${baseUrl}/${content.page}`,
    /** Its own addresses. */
    urls: { atom: urlOf('atom'), json: urlOf('json') },
    /** The service's page: absolute. */
    homeUrl: `${baseUrl}/`,
    /** An RFC 3339 instant. */
    updated: entries[0]?.at ?? newest,
    /** Newest first. */
    entries,
  };
}

export type Feed = Readonly<ReturnType<typeof feedOf>>;

/** feedsmith is loaded with the first feed: it takes 4 MB. */
export const WRITE_FEED: Readonly<Record<FeedFormat, (feed: Feed) => Promise<string>>> = {
  atom: atomOf,
  json: jsonFeedOf,
};

/** Atom (RFC 4287), all as text, never HTML. */
async function atomOf(feed: Feed): Promise<string> {
  const { generateAtomFeed } = await import('feedsmith');
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
 * Noncharacters for XML's special characters, which plain text never has. Otherwise the generator writes CDATA sections
 * with extra white space.
 */
const SIGNS = ['&', '<', '>'];
const ENTITIES = ['&amp;', '&lt;', '&gt;'];
const FIRST_MARK = 0xfdd0;
const MARKS = /[\ufdd0-\ufdd2]/gu;

function marked(text: string): string {
  return text.replaceAll(/[&<>]/g, (sign) => String.fromCharCode(FIRST_MARK + SIGNS.indexOf(sign)));
}

/** JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
async function jsonFeedOf(feed: Feed): Promise<string> {
  const { generateJsonFeed } = await import('feedsmith');
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
  // The generator omits an empty list, but `items` is required.
  return JSON.stringify({ items: [], ...Object(generated) });
}

function mediaType(format: FeedFormat): string {
  return FEED_TYPES[format].replace(/;.*/, '');
}
