import type { FetchSetup } from '../../../pipeline/fetch/run-fetch.ts';

/** With what tests fetch: nobody waits, and nothing is left to chance. */
export const FETCH_SETUP: FetchSetup = {
  limits: { concurrency: 4, bytesMax: 1 << 24, ratioMax: 200, timeoutMs: 5000, attemptsMax: 3, waitMsMax: 120_000 },
  variables: {},
  allow: [],
  userAgent: 'test/1',
  random: () => 0,
  sleep: async () => undefined,
  onBegin: () => {},
  onEnd: () => {},
};
