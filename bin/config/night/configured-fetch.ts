import { setTimeout as wait } from 'node:timers/promises';
import type { FetchSetup } from '../../../pipeline/fetch/run-fetch.ts';
import type { Config } from '../config.ts';
import { outboundSettings } from '../configured-outbound.ts';

/** With what a source is fetched. Its secrets are read where they are needed: no other command has to know them. */
export function configuredFetch(
  config: Config,
  { toolVersion, ...told }: Pick<FetchSetup, 'onBegin' | 'onEnd'> & { readonly toolVersion: string },
): FetchSetup {
  const { allow, userAgent } = outboundSettings(config, { toolVersion });
  return {
    limits: {
      concurrency: config.FETCHES_MAX,
      bytesMax: config.FETCH_BYTES_MAX,
      ratioMax: config.RATIO_MAX,
      timeoutMs: config.FETCH_TIMEOUT_SECONDS * 1000,
      attemptsMax: config.FETCH_ATTEMPTS_MAX,
      waitMsMax: config.FETCH_WAIT_SECONDS_MAX * 1000,
    },
    variables: process.env,
    allow,
    userAgent,
    random: Math.random,
    sleep: (ms) => wait(ms),
    ...told,
  };
}
