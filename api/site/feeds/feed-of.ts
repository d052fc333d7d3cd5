import type { CatalogEntry } from '../../../schemas/catalog.ts';
import type { Entry } from './entries.ts';
import type { Feed, FeedEntry, FeedFormat } from './feed.ts';
import { tagsOf } from './tags.ts';

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
export function feedOf(told: Told, { releases, baseUrl }: Around): Feed {
  const tags = tagsOf(baseUrl);
  const instants = new Map(releases.map(({ day, data_as_of }) => [day, data_as_of]));
  const newest = releases.at(-1)?.data_as_of ?? '';
  const entries = told.entries.slice(0, ENTRIES_MAX).map(({ day, topic, seq, title, text, page }): FeedEntry => {
    return {
      id: tags.entry(day, `${told.tagPath}${topic}`, seq),
      title,
      text,
      at: instants.get(day) ?? newest,
      pageUrl: `${baseUrl}/${page}`,
      topic,
    };
  });
  const urlOf = (format: FeedFormat) => `${baseUrl}/${told.path}.${format}`;
  return {
    id: tags.feed(told.path),
    title: told.title,
    subtitle: told.subtitle,
    pageUrl: `${baseUrl}/${told.page}`,
    urls: { atom: urlOf('atom'), json: urlOf('json') },
    homeUrl: `${baseUrl}/`,
    updated: entries[0]?.at ?? newest,
    entries,
  };
}
