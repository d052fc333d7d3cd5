import { z } from 'zod';
import { isDay } from '../../runtime/day.ts';
import { Bytes, inUnits, Milliseconds, setting, wholeNumber } from '../../runtime/setting.ts';
import { COUNTER_OPTIONS } from './limits/rate-limiter.ts';
import { CREDENTIAL_OPTIONS } from './organizations/credential-directory.ts';
import { PEOPLE_LIMITS, SIGN_IN_METHODS, type SignInMethod } from './people/people.ts';

export const BURST_SETTINGS = {
  redis: setting(
    'REDIS',
    z
      .string()
      .regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://')
      .optional(),
    {
      text: '`redis://host:port` or `rediss://…`: servers of one service count requests per minute together; without it each process counts alone',
      shown: 'address',
    },
  ),
  timeoutMs: setting('REDIS_TIMEOUT_MS', Milliseconds, {
    fallback: COUNTER_OPTIONS.timeoutMs,
    text: "longest wait for Redis' response before this process counts alone",
  }),
  pauseMs: setting('REDIS_PAUSE_MS', Milliseconds, {
    fallback: COUNTER_OPTIONS.pauseMs,
    text: 'time without requests to Redis after it failed',
  }),
  bytesMax: setting('BURST_BYTES', Bytes, {
    fallback: COUNTER_OPTIONS.bytesMax,
    text: 'memory per process for counting requests per minute; beyond it the counts of the least active organizations and keys restart',
  }),
};

/** An instant, or a UTC day, meaning its start. */
const Instant = z.string().transform((text, context) => {
  const isInstant = z.iso.datetime({ offset: true }).safeParse(text).success;
  if (isDay(text) || isInstant) return new Date(text);
  context.addIssue({ code: 'custom', message: 'must be a day YYYY-MM-DD or an instant YYYY-MM-DDTHH:MM:SSZ' });
  return z.NEVER;
});

export const ENFORCEMENT_SETTINGS = {
  mode: setting('ENFORCEMENT', z.enum(['measure', 'enforce']), {
    fallback: 'enforce',
    text: "`enforce`: daily quota and the organization's [burst limit](specification.md#burst-limit) refuse; `measure`: they only count. The limits per route and before authentication always hold",
  }),
  from: setting('ENFORCEMENT_FROM', Instant.nullable().default(null), {
    text: 'with `enforce`: the day (`2026-12-01`) or instant from which quota and burst limit refuse; until then they only count',
    documented: 'none: at once',
  }),
};

export const CREDENTIAL_SETTINGS = {
  ttlMs: setting('KEY_CACHE_MS', wholeNumber(0, 4_000), {
    fallback: CREDENTIAL_OPTIONS.ttlMs,
    text: 'how long a key is cached, at most 4000, because a revocation takes effect everywhere within 5 s',
  }),
  entriesMax: setting('KEY_CACHE_MAX', wholeNumber(1, 10_000_000), {
    fallback: CREDENTIAL_OPTIONS.entriesMax,
    text: 'cached keys, of about 500 bytes each; with more in use, the database is read more often',
  }),
};

export const MAIL_SETTINGS = {
  smtp: setting(
    'SMTP',
    z
      .string()
      .regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://')
      .optional(),
    {
      text: 'mail server, as `smtp://user:password@host:587` or `smtps://…`; without it mail is written to `MODELSTATS_MAIL`',
      shown: 'address',
    },
  ),
  from: setting('MAIL_FROM', z.string().min(3), {
    fallback: 'modelstats <no-reply@localhost>',
    text: 'sender of email',
  }),
  folder: setting('MAIL', z.string().min(1), {
    fallback: './data/mail',
    text: 'folder for mail without a server: a file `.eml` each',
  }),
  timeoutMs: setting('MAIL_TIMEOUT_MS', Milliseconds, {
    fallback: 10_000,
    text: 'longest time for each step with the SMTP server',
  }),
};

/** `link`, `password` or both, comma-separated, in display order. */
const SignInMethods = z.string().transform((text, context): readonly SignInMethod[] => {
  const names = text.split(',').map((name) => name.trim());
  const methods = names.flatMap((name) => SIGN_IN_METHODS.filter((method) => method === name));
  if (methods.length === names.length && new Set(methods).size === methods.length) return methods;
  context.addIssue({ code: 'custom', message: 'must be link, password or link,password' });
  return z.NEVER;
});

const DAY_MS = 86_400_000;

export const PEOPLE_SETTINGS = {
  methods: setting('SIGN_IN', SignInMethods, {
    fallback: 'link',
    text: 'how people sign in: `link`, `password` or `link,password`, in the order offered',
  }),
  signUp: setting('SIGN_UP', z.enum(['open', 'invited']), {
    fallback: 'open',
    text: '`open`: anyone may sign in and create an organization; `invited`: only existing and invited people sign in, and only operators create organizations',
  }),
  sessionMs: setting('SESSION_DAYS', inUnits(wholeNumber(1, 400), DAY_MS), {
    fallback: 30,
    text: 'how long an unused session lasts',
  }),
  sessionRefreshMs: setting('SESSION_REFRESH_HOURS', inUnits(wholeNumber(1, 24), 3_600_000), {
    fallback: 24,
    text: 'how often a session in use is extended; smaller writes more',
  }),
};

const Limit = wholeNumber(1, 100_000);

export const PEOPLE_LIMIT_SETTINGS = {
  mailsPerAddress: setting('MAILS_PER_ADDRESS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.mailsPerAddress,
    text: 'mails with a link to one address at once, then one every 10 minutes; one client address (IPv6: /64) may cause at most one fewer than this limit in an hour. Also the mails with an invitation to one address per day',
  }),
  mailsPerOrigin: setting('MAILS_PER_ORIGIN_MAX', Limit, {
    fallback: PEOPLE_LIMITS.mailsPerOrigin,
    text: 'mails with a link or an invitation per client address (IPv6: /64) and hour',
  }),
  passwordsPerAddress: setting('PASSWORDS_PER_ADDRESS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.passwordsPerAddress,
    text: "attempts at one person's password per client address (IPv6: /64) in 15 minutes; after ten times as many per day from all addresses, the right password must be completed by a link",
  }),
  passwordsPerOrigin: setting('PASSWORDS_PER_ORIGIN_MAX', Limit, {
    fallback: PEOPLE_LIMITS.passwordsPerOrigin,
    text: 'attempts at passwords per client address (IPv6: /64) in 15 minutes',
  }),
  invitations: setting('INVITATIONS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.invitations,
    text: 'open invitations of an organization, and invitations that it may send per day',
  }),
  ownOrganizations: setting('OWN_ORGANIZATIONS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.ownOrganizations,
    text: 'organizations that one person may create',
  }),
  registrationsPerOrigin: setting('REGISTRATIONS_PER_ORIGIN_MAX', Limit, {
    fallback: PEOPLE_LIMITS.registrationsPerOrigin,
    text: 'programs that one client address (IPv6: /64) may register for MCP per hour',
  }),
};

export const TOKEN_SETTINGS = {
  accessTokenSeconds: setting('ACCESS_TOKEN_SECONDS', wholeNumber(60, 86_400), {
    fallback: 3_600,
    text: 'how long an access token of a connected program is valid, 60 to 86,400',
  }),
  refreshTokenSeconds: setting('CONNECTION_DAYS', inUnits(wholeNumber(1, 400), 86_400), {
    fallback: 30,
    text: 'how long a connected program may be unused before a person must connect it again',
  }),
};
