import { z } from 'zod';
import { isDay } from '../../../runtime/day.ts';
import { Bytes, Milliseconds, wholeNumber } from './setting-kinds.ts';

/** An instant, or a UTC day, which stands for its first instant. */
const Instant = z.string().transform((text, context) => {
  const isInstant = z.iso.datetime({ offset: true }).safeParse(text).success;
  if (isDay(text) || isInstant) return new Date(text);
  context.addIssue({ code: 'custom', message: 'must be a day YYYY-MM-DD or an instant YYYY-MM-DDTHH:MM:SSZ' });
  return z.NEVER;
});

/**
 * `route=limit` separated by commas; routes that are not named keep their limit. Which routes there are is known to `serve`
 * alone, which checks the names.
 */
const Backstop = z.string().transform((text, context): Readonly<Record<string, number>> => {
  const limits: Record<string, number> = {};
  for (const part of text.split(',')) {
    const [, route = '', limit = ''] = /^\s*(\S+?)\s*=\s*(\d{1,7})\s*$/.exec(part) ?? [];
    if (route.startsWith('/') && Number(limit) > 0) limits[route] = Number(limit);
    else context.addIssue({ code: 'custom', message: problemOf(part) });
  }
  return limits;
});

function problemOf(part: string): string {
  return `'${part.trim()}' is no ROUTE=LIMIT with a limit from 1 to 9999999`;
}

/** The settings of organizations, keys and limits: part of `ConfigSchema`. */
export const ACCOUNTS_SETTINGS = {
  DATABASE: z
    .string()
    .default('sqlite:./data/accounts.db')
    .describe('The control database: sqlite:PATH or postgres://user@host/name'),
  DATABASE_CONNECTIONS_MAX: wholeNumber(1, 200).default(10).describe("PostgreSQL's connections of one process"),
  DATABASE_CONNECT_TIMEOUT_MS: Milliseconds.default(2_000).describe('For a connection to PostgreSQL'),
  DATABASE_TIMEOUT_MS: Milliseconds.default(2_000).describe(
    "For a statement on PostgreSQL, or for another process's write to SQLite",
  ),
  DATABASE_PROBE_SECONDS: wholeNumber(1, 3_600)
    .default(10)
    .describe('Between two looks whether a control database that failed does its work again'),
  REDIS: z
    .string()
    .regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://')
    .optional()
    .describe('Where replicas that serve one audience count requests per minute together'),
  REDIS_TIMEOUT_MS: Milliseconds.default(250).describe("For Redis' answer, before this process counts alone"),
  REDIS_PAUSE_MS: Milliseconds.default(1_000).describe('How long Redis is left alone after it failed'),
  BURST_BYTES: Bytes.default(64 * 1024 * 1024).describe('Memory of one process for counting requests per minute'),
  ENFORCEMENT: z
    .enum(['measure', 'enforce'])
    .default('enforce')
    .describe("Whether daily quota and the organization's burst limit refuse, or are only measured"),
  ENFORCEMENT_FROM: Instant.optional().describe('With enforce: the announced day or instant from which on it holds'),
  BACKSTOP: Backstop.default({}).describe('Requests per key, route and minute that differ from the usual'),
  KEY_CACHE_MS: wholeNumber(0, 4_000)
    .default(3_000)
    .describe('How long a key is believed without asking the database; revocation is promised within 5 s'),
  KEY_CACHE_MAX: wholeNumber(1, 10_000_000).default(10_000).describe('Keys remembered'),
  LAST_USED_SECONDS: wholeNumber(1, 86_400).default(10).describe('How often the last use of keys is written'),
  USAGE_DETAIL_SECONDS: wholeNumber(1, 3_600)
    .default(5)
    .describe('How often usage by key and route is written; a crash loses as much of it, and nothing of the quota'),
  USAGE_DETAIL_ROWS_MAX: wholeNumber(100, 10_000_000)
    .default(20_000)
    .describe('Rows of usage by key and route that wait in memory to be written'),
  USAGE_DAYS: wholeNumber(1, 36_500).default(400).describe('Days of usage that are kept'),
} as const;
