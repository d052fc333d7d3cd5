import { z } from 'zod';
import { capabilitiesFromText } from '../../../api/data/access/capabilities.ts';
import { Bytes, Milliseconds, Seconds, wholeNumber } from './setting-kinds.ts';

/** The settings of `modelstats serve`: part of `ConfigSchema`. */
export const API_SETTINGS = {
  HOST: z.string().min(1).default('127.0.0.1').describe('Address that `serve` listens on; 0.0.0.0 for all'),
  PORT: wholeNumber(0, 65_535).default(8080).describe('Port that `serve` listens on; 0 for any free one'),
  DRAIN_SECONDS: z.coerce
    .number()
    .min(0)
    .max(3_600)
    .default(0)
    .describe('How long `serve` goes on answering when it is stopped, while `/health/ready` says 503'),
  BASE_PATH: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)*$/, 'must be like /stats, without a slash at the end')
    .default('')
    .describe('Before every route'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine(isOrigin, 'must be like https://api.example.com')
    .optional()
    .describe('Scheme and host that callers use, for links in answers; default: as each request names it'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .describe('Addresses or networks of proxies whose X-Forwarded-* headers are believed, comma-separated'),
  VIEW: z
    .string()
    .min(1)
    .default('./data/view')
    .describe('Folder for the view that `serve` answers from; one process a folder'),
  POLL_SECONDS: Seconds.default(15).describe('Between two looks at the catalog'),
  POLL_RETRY_MAX_SECONDS: Seconds.default(300).describe(
    'Longest wait before a view that could not be built is tried again',
  ),
  DOWNLOADS_MAX: wholeNumber(1, 64).default(8).describe('Files downloaded at once to build the view'),
  QUERIES_MAX: wholeNumber(1, 64).default(4).describe('Queries at once'),
  QUERIES_WAITING_MAX: wholeNumber(1, 100_000)
    .default(1000)
    .describe('Queries that may wait; further requests get 503'),
  QUERY_TIMEOUT_MS: Milliseconds.default(10_000).describe('Longest run of one query'),
  CACHE_BYTES: Bytes.default(128 * 1024 * 1024).describe('Memory for answers that may be asked for again'),
  COMPRESS_FROM_BYTES: Bytes.default(1024).describe('Smallest answer that is compressed when asked for'),
  HEADERS_TIMEOUT_MS: Milliseconds.default(10_000).describe('Longest wait for the head of a request to arrive'),
  HEADERS_MAX: wholeNumber(10, 2_000).default(100).describe('Header fields of a request'),
  REQUEST_TIMEOUT_MS: Milliseconds.default(30_000).describe('Longest wait for a request to arrive'),
  PIPELINED_MAX: wholeNumber(1, 1_000)
    .default(20)
    .describe('Requests of a connection that may wait behind the one that is being answered'),
  SEND_TIMEOUT_MS: Milliseconds.default(60_000).describe(
    'How long a client may take less than SEND_BYTES_MIN of an answer that waits for it',
  ),
  SEND_BYTES_MIN: Bytes.default(16_384).describe('What a client takes at least of its answers in SEND_TIMEOUT_MS'),
  KEEP_ALIVE_TIMEOUT_MS: Milliseconds.default(72_000).describe(
    'Longest wait of an open connection for its next request',
  ),
  CONNECTIONS_MAX: wholeNumber(1, 1_000_000)
    .default(10_000)
    .describe('Open connections; further ones are closed at once'),
  FAILED_ATTEMPTS_MAX: wholeNumber(1, 1_000_000)
    .default(60)
    .describe('Attempts without a valid key per minute and client address (IPv6: /64) before they get 429'),
  PUBLIC_REQUESTS_MAX: wholeNumber(1, 10_000_000)
    .default(600)
    .describe(
      'Badges, embeds, feeds and searches of the documentation, which need no key, per minute and client address (IPv6: /64) before they get 429',
    ),
  PUBLIC_CACHE_BYTES: Bytes.default(32 * 1024 * 1024).describe('Memory for badges, embeds and feeds'),
  CAPABILITIES: z
    .string()
    .default('')
    .transform((list, context) => {
      const states = capabilitiesFromText(list);
      if (!('problem' in states)) return states;
      context.addIssue({ code: 'custom', message: states.problem });
      return z.NEVER;
    })
    .describe('What is not live for all: NAME=planned or NAME=pilot:ORGANIZATION|…, comma-separated'),
  SIGNING_KEY: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe(
      'Secret behind the download addresses of a file store; default: one that is made once and kept in the control database',
    ),
  METRICS_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe('Bearer token for /metrics'),
  METRICS_OPEN: z.stringbool().default(false).describe('Whether anybody may read /metrics'),
  METRICS_HOST: z.string().min(1).default('127.0.0.1').describe('Address of METRICS_PORT'),
  METRICS_PORT: wholeNumber(0, 65_535).optional().describe('A port of its own for /metrics; 0 for any free one'),
  CONSOLE_PAGES_MAX: wholeNumber(1, 100_000)
    .default(120)
    .describe('Pages and forms of the console that one person may ask for in a minute'),
};

/** Nothing but scheme, host and port: it stands in answers for everybody. */
function isOrigin(url: string): boolean {
  return URL.canParse(url) && /^https?:\/\/[^/?#@\\]+$/i.test(url);
}
