import type { Capability } from '../../../api/access/capabilities.ts';
import { publicFace } from '../../../public/public.ts';
import { AFTER_NEWEST, publishEmbeddedDays } from '../../worlds/embedded-days.ts';
import type { ApiOptions } from '../api/open-api.ts';

export interface PublicApiOptions {
  /** Before every route; default: none. */
  readonly basePath?: string;
  /** Default: as each request names it. */
  readonly publicUrl?: string;
  /** What is not live. */
  readonly planned?: readonly Capability[];
  readonly requestsPerMinute?: number;
  /** Default: the day after the newest one. */
  readonly now?: string;
}

/** The API over the embedded days with all that needs no key, for `useApi`; nothing here looks at the clock but at its day. */
export function publicApi(options: PublicApiOptions = {}): ApiOptions {
  const { basePath = '', publicUrl, planned = [], requestsPerMinute = 10_000, now = AFTER_NEWEST } = options;
  return {
    days: publishEmbeddedDays,
    now,
    accounts: {},
    settings: { basePath, publicUrl },
    faces: async () => [
      publicFace({
        requestsPerMinute,
        cacheBytes: 1 << 24,
        packFromBytes: 1024,
        hasConsole: false,
        isLive: (capability) => !planned.includes(capability),
        clock: () => new Date(now),
      }),
    ],
  };
}
