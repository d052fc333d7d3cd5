import { Bytes, setting, wholeNumber } from '../../runtime/setting.ts';

/** Of what needs no key. */
export const PUBLIC_SETTINGS = {
  requestsPerMinute: setting('PUBLIC_REQUESTS_MAX', wholeNumber(1, 10_000_000), {
    fallback: 600,
    text: 'badges, embeds, feeds and searches of the documentation, which need no key, per minute and client address (IPv6: /64) before they get 429',
  }),
  cacheBytes: setting('PUBLIC_CACHE_BYTES', Bytes, {
    fallback: 32 * 1024 * 1024,
    text: 'memory for badges, embeds and feeds',
  }),
};
