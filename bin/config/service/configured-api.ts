import type { ApiSettings } from '../../../api/data/app.ts';
import type { PublicSettings } from '../../../api/site/bind.ts';
import type { FollowerSettings } from '../../../api/view/follow/view-follower.ts';
import type { Config } from '../config.ts';
import { duckdbSettings } from '../configured-duckdb.ts';
import { connectionSettings } from './connection-settings.ts';

/** How the view follows the store. */
export function followerSettings(config: Config): FollowerSettings {
  return {
    duckdb: duckdbSettings(config),
    limits: {
      queriesMax: config.QUERIES_MAX,
      queriesWaitingMax: config.QUERIES_WAITING_MAX,
      queryTimeoutMs: config.QUERY_TIMEOUT_MS,
    },
    downloadsMax: config.DOWNLOADS_MAX,
    pollMs: config.POLL_SECONDS * 1000,
    retryMaxMs: config.POLL_RETRY_MAX_SECONDS * 1000,
  };
}

/** What is answered without a key. */
export function publicSettings(
  config: Config,
): Pick<PublicSettings, 'requestsPerMinute' | 'cacheBytes' | 'packFromBytes'> {
  return {
    requestsPerMinute: config.PUBLIC_REQUESTS_MAX,
    cacheBytes: config.PUBLIC_CACHE_BYTES,
    packFromBytes: config.COMPRESS_FROM_BYTES,
  };
}

/** How requests are answered. */
export function apiSettings(config: Config): ApiSettings {
  return {
    basePath: config.BASE_PATH,
    publicUrl: config.PUBLIC_URL,
    trustedProxies: config.TRUSTED_PROXIES,
    ...connectionSettings(config),
    headersMax: config.HEADERS_MAX,
    compressFromBytes: config.COMPRESS_FROM_BYTES,
    failedAttemptsMax: config.FAILED_ATTEMPTS_MAX,
    capabilities: config.CAPABILITIES,
    backstop: config.BACKSTOP,
    metricsAccess: { token: config.METRICS_TOKEN, isOpen: config.METRICS_OPEN },
  };
}
