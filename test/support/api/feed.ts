import type { Change } from '../../../schemas/change.ts';
import type { TestApi } from './open-api.ts';

export type FeedEvent = Change;

export interface Feed {
  readonly events: readonly FeedEvent[];
  readonly next_cursor: string;
  readonly has_more: boolean;
  readonly retained_from: string;
  readonly published_through: string;
}

export async function getFeed(api: Pick<TestApi, 'json'>, query = ''): Promise<Feed> {
  return (await api.json(`/v1/changes?${query}`)) as unknown as Feed;
}

/** @param options an entity type to narrow the feed to, and where to begin: with the first event that is kept unless given */
export async function pageFeed(
  api: Pick<TestApi, 'json'>,
  { limit = 1000, type, cursor }: { readonly limit?: number; readonly type?: string; readonly cursor?: string } = {},
) {
  const events: FeedEvent[] = [];
  let [at, pages, hasMore] = [cursor, 0, true];
  while (hasMore) {
    const query = new URLSearchParams({
      limit: String(limit),
      ...(type === undefined ? {} : { entity_type: type }),
      ...(at === undefined ? {} : { cursor: at }),
    });
    const page = await getFeed(api, query.toString());
    events.push(...page.events);
    pages += 1;
    at = page.next_cursor;
    hasMore = page.has_more;
  }
  return { events, pages, cursor: at ?? '' };
}
