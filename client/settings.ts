import { z } from 'zod';
import { Milliseconds, setting, wholeNumber } from '../runtime/setting.ts';

/** For consumers. */
export const CLIENT_SETTINGS = {
  url: setting('API_URL', z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(), {
    text: 'URL of the service with its base path, unless `--url` is given',
    shown: 'address',
  }),
  key: setting('API_KEY', z.string().min(1).optional(), {
    text: 'API key, unless `--key` is given; here it is not visible in the process list',
    shown: 'masked',
  }),
  attemptsMax: setting('CLIENT_ATTEMPTS_MAX', wholeNumber(1, 100), {
    fallback: 6,
    text: 'attempts of a request that the network or the service failed, the first included',
  }),
  timeoutMs: setting('CLIENT_TIMEOUT_MS', Milliseconds, {
    fallback: 60_000,
    text: 'limit for a response, or for 64 KiB more of a download, in milliseconds',
  }),
  retryDelayMsMax: setting('CLIENT_RETRY_MAX_MS', Milliseconds, {
    fallback: 30_000,
    text: 'longest delay before a retry, in milliseconds; it starts at a second at most and doubles',
  }),
  limitWaitMsMax: setting('CLIENT_LIMIT_WAIT_MAX_MS', Milliseconds, {
    fallback: 600_000,
    text: 'total time that a request waits for limits per minute, in milliseconds',
  }),
  answerBytesMax: setting('CLIENT_ANSWER_BYTES_MAX', wholeNumber(1024, 256 * 1024 * 1024), {
    fallback: 32 * 1024 * 1024,
    text: 'largest response, unpacked, in bytes; processing needs several times that memory',
  }),
  fileBytesMax: setting('CLIENT_FILE_BYTES_MAX', wholeNumber(1024, Number.MAX_SAFE_INTEGER), {
    fallback: 4 * 1024 ** 3,
    text: 'largest file of a snapshot, packed or unpacked, in bytes',
  }),
};
