import { publicFace } from '../../../public/public.ts';
import { type ApiOptions, openApi, type TestApi } from '../api/open-api.ts';

/** The address under which the feeds of tests are asked for. */
export const FEEDS_URL = 'http://localhost:80';

/** An item of a feed in its JSON form. */
export interface Item {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly content_text: string;
  readonly date_published: string;
  readonly date_modified: string;
  readonly tags: readonly string[];
}

/** An API with what needs no key; nobody's requests are limited. */
export function openFeeds(options: ApiOptions): Promise<TestApi> {
  return openApi({
    ...options,
    accounts: {},
    faces: async () => [
      publicFace({
        requestsPerMinute: 100_000,
        cacheBytes: 1 << 24,
        packFromBytes: 1024,
        hasConsole: false,
        isLive: () => true,
        clock: () => new Date(options.now ?? '2026-06-30T12:00:00Z'),
      }),
    ],
  });
}

/** The items of a feed; `path` is without its format. Throws for what is no 200. */
export async function itemsOf(api: TestApi, path: string): Promise<readonly Item[]> {
  const { items } = await api.json(`${path}.json`);
  if (!Array.isArray(items)) throw new Error(`${path} has no items`);
  return items;
}
