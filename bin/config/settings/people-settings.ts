import { z } from 'zod';
import { SIGN_IN_METHODS, type SignInMethod } from '../../../api/accounts/people/people.ts';
import { PEOPLE_LIMITS } from '../../../api/accounts/people/people-settings.ts';
import { wholeNumber } from './setting-kinds.ts';

/** `link`, `password` or both, separated by a comma, in the order in which they are offered. */
const SignInMethods = z.string().transform((text, context): readonly SignInMethod[] => {
  const names = text.split(',').map((name) => name.trim());
  const methods = names.flatMap((name) => SIGN_IN_METHODS.filter((method) => method === name));
  if (methods.length === names.length && new Set(methods).size === methods.length) return methods;
  context.addIssue({ code: 'custom', message: 'must be link, password or link,password' });
  return z.NEVER;
});

const Limit = wholeNumber(1, 100_000);

/** The settings of people who sign in: part of `ConfigSchema`. */
export const PEOPLE_SETTINGS = {
  SIGN_IN: SignInMethods.default(['link']).describe('How people sign in: link, password or link,password'),
  SIGN_UP: z
    .enum(['open', 'invited'])
    .default('open')
    .describe('Whether whoever asks may sign in and make an organization, or only who was invited'),
  SESSION_DAYS: wholeNumber(1, 400).default(30).describe('How long a session lasts that is not used'),
  SESSION_REFRESH_HOURS: wholeNumber(1, 24)
    .default(24)
    .describe('A session in use is prolonged when the last time is this long ago'),
  MAILS_PER_ADDRESS_MAX: Limit.default(PEOPLE_LIMITS.mailsPerAddress).describe(
    'Mails with a link to one address at once, then one every 10 minutes; and with an invitation in a day',
  ),
  MAILS_PER_ORIGIN_MAX: Limit.default(PEOPLE_LIMITS.mailsPerOrigin).describe(
    'Mails with a link or an invitation that one client address (IPv6: /64) may ask for in an hour',
  ),
  PASSWORDS_PER_ADDRESS_MAX: Limit.default(PEOPLE_LIMITS.passwordsPerAddress).describe(
    "Attempts at one person's password from one client address (IPv6: /64) in 15 minutes",
  ),
  PASSWORDS_PER_ORIGIN_MAX: Limit.default(PEOPLE_LIMITS.passwordsPerOrigin).describe(
    'Attempts at passwords from one client address (IPv6: /64) in 15 minutes',
  ),
  INVITATIONS_MAX: Limit.default(PEOPLE_LIMITS.invitations).describe(
    'Invitations of an organization that may be open at once, and that it may send in a day',
  ),
  OWN_ORGANIZATIONS_MAX: Limit.default(PEOPLE_LIMITS.ownOrganizations).describe(
    'Organizations that one person may make',
  ),
  REGISTRATIONS_PER_ORIGIN_MAX: Limit.default(PEOPLE_LIMITS.registrationsPerOrigin).describe(
    'Programs that one client address (IPv6: /64) may register for MCP in an hour',
  ),
  ACCESS_TOKEN_SECONDS: wholeNumber(60, 86_400)
    .default(3_600)
    .describe('How long an access token of a connected program is good for'),
  CONNECTION_DAYS: wholeNumber(1, 400)
    .default(30)
    .describe('How long a connected program may be silent before a person has to connect it again'),
} as const;
