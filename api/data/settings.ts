import { z } from 'zod';
import { Bytes, type OptionsFrom, setting, wholeNumber } from '../../runtime/setting.ts';
import { capabilitiesFromText } from './access/rights.ts';

/** `route=limit`, comma-separated. `serve` checks the routes' names. */
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
  return `'${part.trim()}' is not ROUTE=LIMIT with a limit from 1 to 9999999`;
}

export const BACKSTOP_SETTINGS = {
  backstop: setting('BACKSTOP', Backstop.default({}), {
    text: 'requests per key, route and minute that differ from the defaults, as `/v1/models=120,/v1/scores=240`',
    documented: "[each route's own](#requests-per-key-and-route)",
  }),
};

const Proxies = z
  .string()
  .transform((list) =>
    list
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .default([]);

/** The value appears in responses for everybody. */
function isOrigin(url: string): boolean {
  return URL.canParse(url) && /^https?:\/\/[^/?#@\\]+$/i.test(url);
}

export const ADDRESS_SETTINGS = {
  basePath: setting(
    'BASE_PATH',
    z
      .string()
      .regex(/^(\/[A-Za-z0-9._~-]+)*$/, 'must be like /stats, without a slash at the end')
      .default(''),
    { text: 'prefix of every route, such as `/stats`' },
  ),
  publicUrl: setting(
    'PUBLIC_URL',
    z
      .url({ protocol: /^https?$/ })
      .refine(isOrigin, 'must be like https://api.example.com')
      .optional(),
    { text: 'scheme and host that callers use, for links; default: those of each request' },
  ),
  trustedProxies: setting('TRUSTED_PROXIES', Proxies, {
    text: 'addresses or networks of proxies whose `X-Forwarded-*` headers are trusted, comma-separated',
  }),
};

/** Routes read them as `settings` of the context. */
export const RESPONSE_SETTINGS = {
  cacheBytes: setting('CACHE_BYTES', Bytes, {
    fallback: 128 * 1024 * 1024,
    text: 'memory for cached responses',
  }),
  compressFromBytes: setting('COMPRESS_FROM_BYTES', Bytes, {
    fallback: 1024,
    text: 'smallest response that is compressed on request',
  }),
};

export type ResponseSettings = OptionsFrom<typeof RESPONSE_SETTINGS>;

export const ATTEMPT_SETTINGS = {
  failedAttemptsMax: setting('FAILED_ATTEMPTS_MAX', wholeNumber(1, 1_000_000), {
    fallback: 60,
    text: 'attempts without a valid key per minute and client address (IPv6: /64); more get 429',
  }),
};

const Capabilities = z
  .string()
  .transform((list, context) => {
    const states = capabilitiesFromText(list);
    if (!('problem' in states)) return states;
    context.addIssue({ code: 'custom', message: states.problem });
    return z.NEVER;
  })
  .default({});

export const CAPABILITY_SETTINGS = {
  states: setting('CAPABILITIES', Capabilities, {
    text: 'capabilities that are not live for all: `NAME=planned` (404, as if it did not exist) or `NAME=pilot:ORGANIZATION|…`, comma-separated. Names: `lifecycle` (dates of retirement, their feeds and calendar), `history`, `snapshots`, `changes`, `account`, `plans` (quota, burst limit, their headers, the account, and all text about plans), `webhooks` (endpoints of others are suspended), `mcp`, `embeds` (what needs no key; for all or nobody), `attribution` (integrations of others are neither declared nor checked), `pricing` (the list of prices, and costs), `exports` (files for LiteLLM, models.dev and spreadsheets; the newest for all or nobody), `resolve` (models by any name), `digest` (digests by email; for all or nobody)',
    documented: 'all live',
  }),
};

export const FILE_SETTINGS = {
  signingKey: setting('SIGNING_KEY', z.string().min(16, 'must have at least 16 characters').optional(), {
    text: 'secret of at least 16 characters that signs download addresses of a file store; another one ends all existing addresses',
    documented: 'generated once, stored in the control database',
    shown: 'masked',
  }),
};

/** Settings of the routes that need no key. */
export const PUBLIC_SETTINGS = {
  requestsPerMinute: setting('PUBLIC_REQUESTS_MAX', wholeNumber(1, 10_000_000), {
    fallback: 600,
    text: 'badges, embeds, feeds, exports and documentation searches per minute and client address (IPv6: /64); more get 429',
  }),
  cacheBytes: setting('PUBLIC_CACHE_BYTES', Bytes, {
    fallback: 32 * 1024 * 1024,
    text: 'memory for badges, embeds and feeds',
  }),
};
