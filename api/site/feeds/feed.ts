import { generateAtomFeed, generateJsonFeed } from 'feedsmith';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { type Entry, tagsOf } from './entries.ts';

export const FEED_FORMATS = ['atom', 'json'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** Who speaks. */
export const FEED_AUTHOR = 'modelstats';

export const FEED_TYPES: Readonly<Record<FeedFormat, string>> = {
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

/** Entries of a feed. More: longer to read; fewer: who looks once a week misses some of a busy month. */
export const ENTRIES_MAX = 100;

/** What a feed tells, before it has addresses. */
export interface Told {
  readonly title: string;
  readonly subtitle: string;
  /** Below the base URL, without the format: `feeds/models`. */
  readonly path: string;
  /** The page beside it, below the base URL. */
  readonly page: string;
  /** Begins the ids of its entries. */
  readonly tagPath: string;
  /** Newest first. */
  readonly entries: readonly Entry[];
}

interface Around {
  /** Those of the catalog, oldest first: they say as of when entries are so. */
  readonly releases: readonly Pick<CatalogEntry, 'day' | 'data_as_of'>[];
  readonly baseUrl: string;
}

/** A feed with its addresses and instants, cut to its newest entries. */
export function feedOf(told: Told, { releases, baseUrl }: Around) {
  const tags = tagsOf(baseUrl);
  const instants = new Map(releases.map(({ day, data_as_of }) => [day, data_as_of]));
  const newest = releases.at(-1)?.data_as_of ?? '';
  const entries = told.entries.slice(0, ENTRIES_MAX).map(({ day, topic, seq, title, text, page }) => {
    return {
      /** A `tag:` URI, the same in every form and for ever. */
      id: tags.entry(day, `${told.tagPath}${topic}`, seq),
      /** One line of plain text. */
      title,
      /** Plain text, a line for each thing. */
      text,
      /** As of when it is so: an RFC 3339 instant. */
      at: instants.get(day) ?? newest,
      /** The page about it: absolute. */
      pageUrl: `${baseUrl}/${page}`,
      /** What it is about, as readers filter by it. */
      topic,
    };
  });
  const urlOf = (format: FeedFormat) => `${baseUrl}/${told.path}.${format}`;
  return {
    /** A `tag:` URI (RFC 4151), the same for as long as the service has its name. */
    id: tags.feed(told.path),
    title: told.title,
    /** What is told here, in a sentence. */
    subtitle: told.subtitle,
    /** The page that people look at: absolute. */
    pageUrl: `${baseUrl}/${told.page}`,
    /** Where the feed itself is, in both forms. */
    urls: { atom: urlOf('atom'), json: urlOf('json') },
    /** The page of the service, absolute. */
    homeUrl: `${baseUrl}/`,
    /** An RFC 3339 instant. */
    updated: entries[0]?.at ?? newest,
    /** Newest first. */
    entries,
  };
}

export type Feed = Readonly<ReturnType<typeof feedOf>>;

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
