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
      text: '`redis://host:port` or `rediss://…`, through which replicas count requests per minute together; without it each process counts by itself',
      shown: 'address',
    },
  ),
  timeoutMs: setting('REDIS_TIMEOUT_MS', Milliseconds, {
    fallback: COUNTER_OPTIONS.timeoutMs,
    text: 'timeout for a response of Redis, in milliseconds, after which this process counts by itself',
  }),
  pauseMs: setting('REDIS_PAUSE_MS', Milliseconds, {
    fallback: COUNTER_OPTIONS.pauseMs,
    text: 'pause before Redis is used again after a failure, in milliseconds',
  }),
  bytesMax: setting('BURST_BYTES', Bytes, {
    fallback: COUNTER_OPTIONS.bytesMax,
    text: 'memory of one process for counting requests per minute; when it is full, the counts of the least active organizations and keys restart',
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
    text: "whether the daily quota and the organization's burst limit refuse requests (`enforce`) or only count them (`measure`); limits per route and before authentication always refuse",
  }),
  from: setting('ENFORCEMENT_FROM', Instant.nullable().default(null), {
    text: 'with `enforce`, the day (`2026-12-01`) or instant from which it applies',
    documented: 'none: at once',
  }),
};

export const CREDENTIAL_SETTINGS = {
  ttlMs: setting('KEY_CACHE_MS', wholeNumber(0, 4_000), {
    fallback: CREDENTIAL_OPTIONS.ttlMs,
    text: 'how long a key is cached, in milliseconds, at most 4000, since a revocation must apply everywhere within 5 s',
  }),
  entriesMax: setting('KEY_CACHE_MAX', wholeNumber(1, 10_000_000), {
    fallback: CREDENTIAL_OPTIONS.entriesMax,
    text: 'keys cached, some 500 bytes each; with more keys in use, the database is queried more often',
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
      text: 'mail server, as `smtp://user:password@host:587` or `smtps://…`; without it email is written to `MODELSTATS_MAIL`',
      shown: 'address',
    },
  ),
  from: setting('MAIL_FROM', z.string().min(3), {
    fallback: 'modelstats <no-reply@localhost>',
    text: 'sender of email',
  }),
  folder: setting('MAIL', z.string().min(1), {
    fallback: './data/mail',
    text: 'folder for email without a mail server: one `.eml` file each',
  }),
  timeoutMs: setting('MAIL_TIMEOUT_MS', Milliseconds, {
    fallback: 10_000,
    text: 'timeout for each step with the mail server, in milliseconds',
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
    text: 'sign-in methods in the order shown: `link`, `password` or `link,password`',
  }),
  signUp: setting('SIGN_UP', z.enum(['open', 'invited']), {
    fallback: 'open',
    text: '`open`: everyone may sign in and create an organization; `invited`: only existing and invited people may sign in, and operators create organizations',
  }),
  sessionMs: setting('SESSION_DAYS', inUnits(wholeNumber(1, 400), DAY_MS), {
    fallback: 30,
    text: 'lifetime of an unused session, in days',
  }),
  sessionRefreshMs: setting('SESSION_REFRESH_HOURS', inUnits(wholeNumber(1, 24), 3_600_000), {
    fallback: 24,
    text: 'interval of renewing a session in use, in hours; smaller means more writes',
  }),
};

const Limit = wholeNumber(1, 100_000);

export const PEOPLE_LIMIT_SETTINGS = {
  mailsPerAddress: setting('MAILS_PER_ADDRESS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.mailsPerAddress,
    text: 'emails with a link to one address at once, then one every 10 minutes; one fewer if requested from one client address (IPv6: /64); also emails with an invitation to one address in a day',
  }),
  mailsPerOrigin: setting('MAILS_PER_ORIGIN_MAX', Limit, {
    fallback: PEOPLE_LIMITS.mailsPerOrigin,
    text: 'emails with a link or an invitation that one client address (IPv6: /64) may request in an hour',
  }),
  passwordsPerAddress: setting('PASSWORDS_PER_ADDRESS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.passwordsPerAddress,
    text: 'password attempts on one person from one client address (IPv6: /64) in 15 minutes; after ten times as many in a day from all addresses, the right password must be confirmed by a link',
  }),
  passwordsPerOrigin: setting('PASSWORDS_PER_ORIGIN_MAX', Limit, {
    fallback: PEOPLE_LIMITS.passwordsPerOrigin,
    text: 'password attempts from one client address (IPv6: /64) in 15 minutes',
  }),
  invitations: setting('INVITATIONS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.invitations,
    text: 'open invitations of an organization, and invitations it may send in a day',
  }),
  ownOrganizations: setting('OWN_ORGANIZATIONS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.ownOrganizations,
    text: 'organizations that one person may create',
  }),
  registrationsPerOrigin: setting('REGISTRATIONS_PER_ORIGIN_MAX', Limit, {
    fallback: PEOPLE_LIMITS.registrationsPerOrigin,
    text: 'programs that one client address (IPv6: /64) may register for MCP in an hour',
  }),
};

export const TOKEN_SETTINGS = {
  accessTokenSeconds: setting('ACCESS_TOKEN_SECONDS', wholeNumber(60, 86_400), {
    fallback: 3_600,
    text: 'lifetime of an access token of a connected program, in seconds, 60 to 86,400',
  }),
  refreshTokenSeconds: setting('CONNECTION_DAYS', inUnits(wholeNumber(1, 400), 86_400), {
    fallback: 30,
    text: 'how long a connected program may stay inactive before it must be connected again, in days',
  }),
};
