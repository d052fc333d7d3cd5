import { onTestFinished } from 'vitest';
import type { Capability } from '../../../api/data/access/rights.ts';
import { type PublicSurfaceSettings, publicRoutes, publicSurface } from '../../../api/site/public.ts';
import { type ApiOptions, type Days, openApi, type TestApi } from '../api/open-api.ts';
import type { AppOptions } from '../api/start-app.ts';
import { useApi } from '../api/use-api.ts';
import { SAMPLE_DAYS } from '../pipeline/sample-store.ts';

export interface PublicOptions
  extends Partial<Omit<PublicSurfaceSettings, 'isLive' | 'clock'>>,
    Omit<AppOptions, 'faces' | 'openRoutes' | 'follower'>,
    Pick<ApiOptions, 'now'> {
  /** Default: the sample days. */
  readonly days?: Days;
  readonly store?: string;
  /** Default: nothing is. */
  readonly planned?: readonly Capability[];
}

/** What is seen without a key beside the API, as a test file has it: asked without a network. */
export function usePublic(options: PublicOptions = {}): TestApi {
  const api: TestApi = useApi(apiOptions(options, () => api.clock.now()));
  return api;
}

/** The same for a test alone; closed after it. */
export async function openPublic(options: PublicOptions = {}): Promise<TestApi> {
  const api: TestApi = await openApi(apiOptions(options, () => api.clock.now()));
  onTestFinished(() => api.close());
  return api;
}

function apiOptions(options: PublicOptions, clock: () => Date): ApiOptions {
  const { days = SAMPLE_DAYS, store, planned = [], ...others } = options;
  const { requestsPerMinute = 100_000, cacheBytes = 1 << 24, compressFromBytes = 1024, hasConsole = false } = others;
  const isLive = (capability: Capability) => !planned.includes(capability);
  return {
    accounts: {},
    ...others,
    ...(store === undefined ? { days } : { store }),
    openRoutes: publicRoutes(isLive),
    surfaces: async () => [
      publicSurface({ requestsPerMinute, cacheBytes, compressFromBytes, hasConsole, isLive, clock }),
    ],
  };
}

export interface Item {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly content_text: string;
  readonly date_published: string;
  readonly date_modified: string;
  readonly tags: readonly string[];
}

/** The items of a feed; `path` is without its format. Throws for what is no 200. */
export async function itemsOf(api: TestApi, path: string): Promise<readonly Item[]> {
  const { items } = await api.json(`${path}.json`);
  if (!Array.isArray(items)) throw new Error(`${path} has no items`);
  return items;
}
