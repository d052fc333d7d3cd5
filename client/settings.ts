import { z } from 'zod';
import { Milliseconds, setting, wholeNumber } from '../runtime/setting.ts';

/** For consumers. */
export const CLIENT_SETTINGS = {
  url: setting('API_URL', z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).optional(), {
    text: 'address of the service with its base path, unless `--url` is given',
    shown: 'address',
  }),
  key: setting('API_KEY', z.string().min(1).optional(), {
    text: 'API key, unless `--key` is given, which other users see in the list of processes',
    shown: 'masked',
  }),
  attemptsMax: setting('CLIENT_ATTEMPTS_MAX', wholeNumber(1, 100), {
    fallback: 6,
    text: 'how often a request is attempted if the network or the service fails, counting the first attempt',
  }),
  timeoutMs: setting('CLIENT_TIMEOUT_MS', Milliseconds, {
    fallback: 60_000,
    text: 'longest wait for a response, and for each 64 KiB of a download',
  }),
  retryDelayMsMax: setting('CLIENT_RETRY_MAX_MS', Milliseconds, {
    fallback: 30_000,
    text: 'longest wait before another attempt; the first wait is a second at most, and doubles',
  }),
  limitWaitMsMax: setting('CLIENT_LIMIT_WAIT_MAX_MS', Milliseconds, {
    fallback: 600_000,
    text: 'how long one request waits in all for limits per minute',
  }),
  answerBytesMax: setting('CLIENT_ANSWER_BYTES_MAX', wholeNumber(1024, 256 * 1024 * 1024), {
    fallback: 32 * 1024 * 1024,
    text: 'largest response, unpacked; reading it takes several times as much memory',
  }),
  fileBytesMax: setting('CLIENT_FILE_BYTES_MAX', wholeNumber(1024, Number.MAX_SAFE_INTEGER), {
    fallback: 4 * 1024 ** 3,
    text: 'largest file of a snapshot, packed and unpacked',
  }),
};
