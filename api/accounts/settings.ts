import { z } from 'zod';
import { isDay } from '../../runtime/day.ts';
import { Bytes, inUnits, Milliseconds, setting, wholeNumber } from '../../runtime/setting.ts';
import { COUNTER_OPTIONS } from './limits/rate-limiter.ts';
import { CREDENTIAL_OPTIONS } from './organizations/credential-directory.ts';
import { PEOPLE_LIMITS, SIGN_IN_METHODS, type SignInMethod } from './people/people.ts';

/** Of counting requests per minute. */
export const BURST_SETTINGS = {
  redis: setting(
    'REDIS',
    z
      .string()
      .regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://')
      .optional(),
    {
      text: '`redis://host:port` or `rediss://…`, where replicas that serve one audience count requests per minute together; without it each process counts for itself',
      shown: 'address',
    },
  ),
  timeoutMs: setting('REDIS_TIMEOUT_MS', Milliseconds, {
    fallback: COUNTER_OPTIONS.timeoutMs,
    text: "for Redis' answer, in milliseconds, before this process counts alone",
  }),
  pauseMs: setting('REDIS_PAUSE_MS', Milliseconds, {
    fallback: COUNTER_OPTIONS.pauseMs,
    text: 'how long Redis is left alone after it failed, in milliseconds',
  }),
  bytesMax: setting('BURST_BYTES', Bytes, {
    fallback: COUNTER_OPTIONS.bytesMax,
    text: 'memory of one process for counting requests per minute; of more organizations and keys the least active are counted anew',
  }),
};

/** An instant, or a UTC day, which stands for its first instant. */
const Instant = z.string().transform((text, context) => {
  const isInstant = z.iso.datetime({ offset: true }).safeParse(text).success;
  if (isDay(text) || isInstant) return new Date(text);
  context.addIssue({ code: 'custom', message: 'must be a day YYYY-MM-DD or an instant YYYY-MM-DDTHH:MM:SSZ' });
  return z.NEVER;
});

/** Whether limits hold. */
export const ENFORCEMENT_SETTINGS = {
  mode: setting('ENFORCEMENT', z.enum(['measure', 'enforce']), {
    fallback: 'enforce',
    text: "whether daily quota and the organization's burst limit refuse (`enforce`) or are only measured (`measure`); the limits per route and before authentication always hold",
  }),
  from: setting('ENFORCEMENT_FROM', Instant.nullable().default(null), {
    text: 'with `enforce`, the announced day (`2026-12-01`) or instant from which on it holds',
    documented: 'none: at once',
  }),
};

/** What is remembered of keys. */
export const CREDENTIAL_SETTINGS = {
  ttlMs: setting('KEY_CACHE_MS', wholeNumber(0, 4_000), {
    fallback: CREDENTIAL_OPTIONS.ttlMs,
    text: 'how long a key is believed without asking the database, in milliseconds, at most 4000: a revocation is promised to hold everywhere within 5 s',
  }),
  entriesMax: setting('KEY_CACHE_MAX', wholeNumber(1, 10_000_000), {
    fallback: CREDENTIAL_OPTIONS.entriesMax,
    text: 'keys remembered, some 500 bytes each; with more in use the database is asked more often',
  }),
};

/** Of the mailer. */
export const MAIL_SETTINGS = {
  smtp: setting(
    'SMTP',
    z
      .string()
      .regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://')
      .optional(),
    {
      text: 'server that takes mail, as `smtp://user:password@host:587` or `smtps://…`; without it mail goes into `MODELSTATS_MAIL`',
      shown: 'address',
    },
  ),
  from: setting('MAIL_FROM', z.string().min(3), {
    fallback: 'modelstats <no-reply@localhost>',
    text: 'sender of mail',
  }),
  folder: setting('MAIL', z.string().min(1), {
    fallback: './data/mail',
    text: 'folder for mail where there is no server: a file `.eml` each',
  }),
  timeoutMs: setting('MAIL_TIMEOUT_MS', Milliseconds, {
    fallback: 10_000,
    text: 'for each step with the SMTP server, in milliseconds',
  }),
};

/** `link`, `password` or both, separated by a comma, in the order in which they are offered. */
const SignInMethods = z.string().transform((text, context): readonly SignInMethod[] => {
  const names = text.split(',').map((name) => name.trim());
  const methods = names.flatMap((name) => SIGN_IN_METHODS.filter((method) => method === name));
  if (methods.length === names.length && new Set(methods).size === methods.length) return methods;
  context.addIssue({ code: 'custom', message: 'must be link, password or link,password' });
  return z.NEVER;
});

const DAY_MS = 86_400_000;

/** Of people who sign in. */
export const PEOPLE_SETTINGS = {
  methods: setting('SIGN_IN', SignInMethods, {
    fallback: 'link',
    text: 'how people sign in: `link`, `password` or `link,password`, in the order in which they are offered',
  }),
  signUp: setting('SIGN_UP', z.enum(['open', 'invited']), {
    fallback: 'open',
    text: '`open`: whoever asks may sign in and make an organization; `invited`: only who exists or was invited, and operators make organizations',
  }),
  sessionMs: setting('SESSION_DAYS', inUnits(wholeNumber(1, 400), DAY_MS), {
    fallback: 30,
    text: 'how long a session lasts that is not used, in days',
  }),
  sessionRefreshMs: setting('SESSION_REFRESH_HOURS', inUnits(wholeNumber(1, 24), 3_600_000), {
    fallback: 24,
    text: 'a session in use is prolonged when that was last done this long ago, in hours; smaller writes more',
  }),
};

const Limit = wholeNumber(1, 100_000);

/** What people may do how often. */
export const PEOPLE_LIMIT_SETTINGS = {
  mailsPerAddress: setting('MAILS_PER_ADDRESS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.mailsPerAddress,
    text: 'mails with a link to one address at once, then one every 10 minutes; one less from one client address (IPv6: /64); and mails with an invitation to one address in a day',
  }),
  mailsPerOrigin: setting('MAILS_PER_ORIGIN_MAX', Limit, {
    fallback: PEOPLE_LIMITS.mailsPerOrigin,
    text: 'mails with a link or an invitation that one client address (IPv6: /64) may ask for in an hour',
  }),
  passwordsPerAddress: setting('PASSWORDS_PER_ADDRESS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.passwordsPerAddress,
    text: "attempts at one person's password from one client address (IPv6: /64) in 15 minutes; after ten times as many in a day from everywhere the right one is completed by a link",
  }),
  passwordsPerOrigin: setting('PASSWORDS_PER_ORIGIN_MAX', Limit, {
    fallback: PEOPLE_LIMITS.passwordsPerOrigin,
    text: 'attempts at passwords from one client address (IPv6: /64) in 15 minutes',
  }),
  invitations: setting('INVITATIONS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.invitations,
    text: 'invitations of an organization that may be open at once, and that it may send in a day',
  }),
  ownOrganizations: setting('OWN_ORGANIZATIONS_MAX', Limit, {
    fallback: PEOPLE_LIMITS.ownOrganizations,
    text: 'organizations that one person may make',
  }),
  registrationsPerOrigin: setting('REGISTRATIONS_PER_ORIGIN_MAX', Limit, {
    fallback: PEOPLE_LIMITS.registrationsPerOrigin,
    text: 'programs that one client address (IPv6: /64) may register for MCP in an hour',
  }),
};

/** Of programs that people connect. */
export const TOKEN_SETTINGS = {
  accessTokenSeconds: setting('ACCESS_TOKEN_SECONDS', wholeNumber(60, 86_400), {
    fallback: 3_600,
    text: 'how long an access token of a connected program is good for, 60 to 86,400',
  }),
  refreshTokenSeconds: setting('CONNECTION_DAYS', inUnits(wholeNumber(1, 400), 86_400), {
    fallback: 30,
    text: 'how long a connected program may be silent before a person has to connect it again',
  }),
};
