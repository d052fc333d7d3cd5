import { z } from 'zod';
import { Milliseconds, wholeNumber } from './setting-kinds.ts';

/** The settings of a consumer's side: part of `ConfigSchema`. */
export const CLIENT_SETTINGS = {
  API_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .optional()
    .describe('Service that `sync` and `mcp --stdio` ask, when --url is not given'),
  API_KEY: z.string().min(1).optional().describe('API key that they ask with, when --key is not given'),
  CLIENT_ATTEMPTS_MAX: wholeNumber(1, 100)
    .default(6)
    .describe('Tries of one request that the network or the service failed'),
  CLIENT_TIMEOUT_MS: Milliseconds.default(60_000).describe(
    'For an answer; of a download, until 64 KiB more of it have arrived',
  ),
  CLIENT_RETRY_MAX_MS: Milliseconds.default(30_000).describe('Longest wait before another try'),
  CLIENT_LIMIT_WAIT_MAX_MS: Milliseconds.default(600_000).describe(
    'How long one request waits in all for limits per minute to pass',
  ),
  CLIENT_ANSWER_BYTES_MAX: wholeNumber(1024, 256 * 1024 * 1024)
    .default(32 * 1024 * 1024)
    .describe('Largest answer, unpacked, in bytes'),
  CLIENT_FILE_BYTES_MAX: wholeNumber(1024, Number.MAX_SAFE_INTEGER)
    .default(4 * 1024 ** 3)
    .describe('Largest file of a snapshot, packed as well as unpacked, in bytes'),
} as const;
