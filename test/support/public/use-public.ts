import type { Capability } from '../../../api/access/capabilities.ts';
import type { ApiSettings } from '../../../api/app.ts';
import { PUBLIC_ROUTES, type PublicFaceSettings, publicFace } from '../../../public/public.ts';
import { type ApiOptions, type Days, openApi, type TestApi } from '../api/open-api.ts';
import type { AppOptions } from '../api/start-app.ts';
import type { TestAccountsOptions } from '../api/test-accounts.ts';
import { useApi } from '../api/use-api.ts';
import { SAMPLE_DAYS } from '../pipeline/sample-store.ts';

export interface PublicOptions extends Partial<Omit<PublicFaceSettings, 'isLive' | 'clock'>> {
  /** Default: the sample days. */
  readonly days?: Days;
  readonly settings?: Partial<ApiSettings>;
  /** Default: nothing is. */
  readonly planned?: readonly Capability[];
  readonly accounts?: TestAccountsOptions;
  readonly wrapStore?: AppOptions['wrapStore'];
  readonly guide?: AppOptions['guide'];
}

/** What is seen without a key beside the API, as a test file has it: asked without a network. */
export function usePublic(options: PublicOptions = {}): TestApi {
  const api: TestApi = useApi(apiOptions(options, () => api.clock.now()));
  return api;
}

/** The same for a test alone, which closes it. */
export async function openPublic(options: PublicOptions = {}): Promise<TestApi> {
  const api: TestApi = await openApi(apiOptions(options, () => api.clock.now()));
  return api;
}

function apiOptions(
  { days = SAMPLE_DAYS, settings = {}, planned = [], accounts = {}, wrapStore, guide, ...face }: PublicOptions,
  clock: () => Date,
): ApiOptions {
  return {
    days,
    settings,
    accounts,
    openRoutes: planned.includes('embeds') ? [] : PUBLIC_ROUTES,
    ...(wrapStore === undefined ? {} : { wrapStore }),
    ...(guide === undefined ? {} : { guide }),
    faces: async () => [
      publicFace({
        requestsPerMinute: 100_000,
        cacheBytes: 1 << 24,
        packFromBytes: 1024,
        hasConsole: false,
        ...face,
        isLive: (capability) => !planned.includes(capability),
        clock,
      }),
    ],
  };
}
