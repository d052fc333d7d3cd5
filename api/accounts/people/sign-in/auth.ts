import { type BetterAuthOptions, betterAuth } from 'better-auth';
import { isAPIError } from 'better-auth/api';
import { magicLink } from 'better-auth/plugins/magic-link';
import type { BaseLogger } from 'pino';
import { newId } from '../../../../runtime/ulid.ts';
import type { ControlDatabase } from '../../../database/control-database.ts';
import { unavailable } from '../../../database/database-errors.ts';
import type { Origin } from '../../actor.ts';
import { CONSOLE_PATHS, LINK_MS, PASSWORD_LENGTH, type PeopleSettings } from '../people.ts';
import { oauthProvider } from './oauth-provider.ts';

/** Called by better-auth during sign-in. */
export interface AuthHooks {
  /** With its token, stored nowhere else, and the request's metadata. */
  readonly onLink: (link: {
    readonly email: string;
    readonly token: string;
    readonly metadata: Readonly<Record<string, unknown>>;
  }) => void;
  readonly maySignUp: (email: string) => Promise<boolean>;
  /** The organization selected in a new session. */
  readonly firstOrganization: (personId: string) => Promise<string | null>;
}

export interface AuthDeps {
  readonly database: ControlDatabase;
  readonly log: Pick<BaseLogger, 'warn'>;
  readonly hooks: AuthHooks;
}

export type Auth = ReturnType<typeof createAuth>;

/** Passes the client address to better-auth; never taken from a client. */
const ADDRESS_HEADER = 'x-modelstats-address';

/**
 * better-auth with our table names (migration 0008). Only some of its HTTP routes are mounted; its telemetry is off
 * unless two BETTER_AUTH_* variables are set.
 */
export function createAuth(
  settings: Pick<PeopleSettings, 'publicUrl' | 'secret' | 'sessionMs' | 'sessionRefreshMs' | 'connections'>,
  { database, log, hooks }: AuthDeps,
) {
  return betterAuth({
    appName: 'modelstats',
    baseURL: settings.publicUrl, // Its path prefixes all routes.
    basePath: '/',
    // `secret` alone would be overridden by BETTER_AUTH_SECRETS in the environment.
    secrets: [{ version: 1, value: settings.secret }],
    database: authDatabase(database),
    ...AUTH_TABLES,
    session: {
      ...AUTH_TABLES.session,
      expiresIn: Math.ceil(settings.sessionMs / 1000),
      updateAge: Math.ceil(settings.sessionRefreshMs / 1000),
      cookieCache: { enabled: false }, // With the cache, an ended session stays valid for minutes.
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true, // Passwords are set by signed-in people only.
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
    },
    plugins: [
      magicLink({
        expiresIn: LINK_MS / 1000,
        storeToken: 'hashed',
        sendMagicLink: ({ email, token, metadata = {} }) => hooks.onLink({ email, token, metadata }),
      }),
      oauthProvider(settings.connections, settings.publicUrl),
    ],
    databaseHooks: {
      user: { create: { before: (person) => hooks.maySignUp(person.email) } },
      session: {
        create: {
          before: async (session) => ({
            data: { ...session, organizationId: await hooks.firstOrganization(session.userId) },
          }),
        },
      },
    },
    advanced: {
      ...cookieOptions(settings.publicUrl),
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER], ipv6Subnet: 128 },
      database: { generateId: ({ model }) => newId(prefixOf(model)), validateSchema: false },
    },
    onAPIError: {
      errorURL: `${settings.publicUrl}${CONSOLE_PATHS.connectFailed}`,
      // Refusals are responses. Others are thrown, since better-auth would write them to stderr and respond with an
      // empty 500.
      onError: (error) => {
        if (!isAPIError(error) || error.statusCode >= 500) throw unavailable(error);
      },
    },
    telemetry: { enabled: false },
    rateLimit: { enabled: false }, // `AttemptLimits` counts in the database instead.
    logger: { level: 'error', log: (_, message) => log.warn({ reason: message }, 'sign-in failed') },
  });
}

/** `__Host-` keeps sibling domains from setting the cookie; it requires https. */
function cookieOptions(publicUrl: string) {
  const isSecure = new URL(publicUrl).protocol === 'https:';
  return {
    useSecureCookies: false, // It would prefix the name with `__Secure-`.
    cookiePrefix: 'modelstats',
    cookies: {
      session_token: {
        name: isSecure ? '__Host-modelstats_session' : 'modelstats_session',
        attributes: { secure: isSecure, httpOnly: true, sameSite: 'lax', path: '/' },
      },
    },
  } as const;
}

export function authDatabase({ kysely, engine }: ControlDatabase) {
  return { db: kysely, type: engine.kind };
}

const ID_PREFIXES: Readonly<Record<string, string>> = {
  user: 'person',
  session: 'session',
  account: 'account',
  verification: 'verification',
  oauthConsent: 'connection',
};

function prefixOf(model: string): string {
  return ID_PREFIXES[model] ?? model;
}

/** Our table and column names; a test checks the migration against better-auth. */
export const AUTH_TABLES = {
  user: {
    modelName: 'people',
    fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  session: {
    modelName: 'sessions',
    fields: {
      userId: 'person_id',
      expiresAt: 'expires_at',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
      ipAddress: 'address',
      userAgent: 'user_agent',
    },
    additionalFields: {
      organizationId: { type: 'string', required: false, input: false, fieldName: 'organization_id' },
    },
  },
  account: {
    modelName: 'sign_in_accounts',
    fields: {
      accountId: 'account_id',
      providerId: 'provider_id',
      userId: 'person_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  verification: {
    modelName: 'verifications',
    fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
} as const satisfies Partial<BetterAuthOptions>;

/** Longest stored part of a User-Agent header. */
const USER_AGENT_MAX = 300;

/** Without cookies, since the session is new. */
export function headersOf({ address, userAgent = '' }: Origin): Headers {
  const printable = userAgent.slice(0, USER_AGENT_MAX).replace(/[^\x20-\x7e]/g, '?');
  return new Headers({ [ADDRESS_HEADER]: address, 'user-agent': printable });
}

const SESSION_COOKIE = /^(__Host-)?modelstats_session=/;

/** Without other cookies, which better-auth clears but we never set. */
export function sessionCookies(headers: Headers): readonly string[] {
  return headers.getSetCookie().filter((cookie) => SESSION_COOKIE.test(cookie));
}

/** Undefined where better-auth refused; other errors are thrown. */
export async function orRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isAPIError(error) && error.statusCode < 500) return undefined;
    throw error;
  }
}
