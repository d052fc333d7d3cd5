/** A feed and its entries, whatever they are written as: `atom.ts` and `json-feed.ts` say the same. */

export interface Feed {
  /** A `tag:` URI (RFC 4151), the same for as long as the service has its name. */
  readonly id: string;
  readonly title: string;
  /** What is told here, in a sentence. */
  readonly subtitle: string;
  /** The page that people look at: absolute. */
  readonly pageUrl: string;
  /** Where the feed itself is, in both forms. */
  readonly urls: Readonly<Record<FeedFormat, string>>;
  /** The page of the service, absolute. */
  readonly homeUrl: string;
  /** An RFC 3339 instant. */
  readonly updated: string;
  /** Newest first. */
  readonly entries: readonly FeedEntry[];
}

export interface FeedEntry {
  /** A `tag:` URI, the same in every form and for ever. */
  readonly id: string;
  /** One line of plain text. */
  readonly title: string;
  /** Plain text, a line for each thing. */
  readonly text: string;
  /** As of when it is so: an RFC 3339 instant. */
  readonly at: string;
  /** The page about it: absolute. */
  readonly pageUrl: string;
  /** What it is about, as readers filter by it. */
  readonly topic: string;
}

export const FEED_FORMATS = ['atom', 'json'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** Who speaks. */
export const FEED_AUTHOR = 'modelstats';

export const FEED_TYPES: Readonly<Record<FeedFormat, string>> = {
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};
