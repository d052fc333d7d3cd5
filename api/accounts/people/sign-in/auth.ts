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

/** What happens while better-auth signs somebody in. */
export interface AuthHooks {
  /** Of a link that was just made: its token, which is nowhere else, and what came with the wish for it. */
  readonly onLink: (link: {
    readonly email: string;
    readonly token: string;
    readonly metadata: Readonly<Record<string, unknown>>;
  }) => void;
  /** Whether a person may be made for this address. */
  readonly maySignUp: (email: string) => Promise<boolean>;
  /** What a new session of this person shows first. */
  readonly firstOrganization: (personId: string) => Promise<string | null>;
}

export interface AuthDeps {
  readonly database: ControlDatabase;
  readonly log: Pick<BaseLogger, 'warn'>;
  readonly hooks: AuthHooks;
}

export type Auth = ReturnType<typeof createAuth>;

/** The header in which the origin's address is handed to better-auth; it comes from us, never from a client. */
const ADDRESS_HEADER = 'x-modelstats-address';

/**
 * better-auth on our control database, under our names for its tables (migration 0008). It makes and checks sessions, links and
 * passwords, and is the OAuth provider of connections, some of whose HTTP routes are the only ones that are mounted. Its telemetry is off: it reports to nobody, unless somebody names an address
 * and switches it on with two BETTER_AUTH_* variables of its own.
 */
export function createAuth(
  settings: Pick<PeopleSettings, 'publicUrl' | 'secret' | 'sessionMs' | 'sessionRefreshMs' | 'connections'>,
  { database, log, hooks }: AuthDeps,
) {
  return betterAuth({
    appName: 'modelstats',
    baseURL: settings.publicUrl, // With its path, which is then that of all routes.
    basePath: '/',
    // `secret` alone would yield to BETTER_AUTH_SECRETS in the environment.
    secrets: [{ version: 1, value: settings.secret }],
    database: authDatabase(database),
    ...AUTH_TABLES,
    session: {
      ...AUTH_TABLES.session,
      expiresIn: Math.ceil(settings.sessionMs / 1000),
      updateAge: Math.ceil(settings.sessionRefreshMs / 1000),
      cookieCache: { enabled: false }, // With it, a session that was ended lives on for minutes.
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true, // A password is set by who is signed in.
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
      // Refusals are answers. What is thrown here goes to who asked; everything else would be written to stderr and become an empty 500.
      onError: (error) => {
        if (!isAPIError(error) || error.statusCode >= 500) throw unavailable(error);
      },
    },
    telemetry: { enabled: false },
    rateLimit: { enabled: false }, // Ours counts in the database; this one counts requests to routes that there aren't.
    logger: { level: 'error', log: (_, message) => log.warn({ reason: message }, 'sign-in failed') },
  });
}

/** `__Host-` keeps other sites of the same domain from setting the cookie; browsers take it with https alone. */
function cookieOptions(publicUrl: string) {
  const isSecure = new URL(publicUrl).protocol === 'https:';
  return {
    useSecureCookies: false, // It would put `__Secure-` before the name.
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

/** Our names for better-auth's tables and columns; a test asks better-auth whether the migration made them as it needs them. */
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

/** Of a User-Agent header: the rest tells nobody anything. */
const USER_AGENT_MAX = 300;

/** Who signs in, as better-auth reads it: it takes the session's address and browser from there. No cookie: the session is new. */
export function headersOf({ address, userAgent = '' }: Origin): Headers {
  const printable = userAgent.slice(0, USER_AGENT_MAX).replace(/[^\x20-\x7e]/g, '?');
  return new Headers({ [ADDRESS_HEADER]: address, 'user-agent': printable });
}

const SESSION_COOKIE = /^(__Host-)?modelstats_session=/;

/** The values of Set-Cookie for the session's cookie; better-auth clears others as well, which we never set. */
export function sessionCookies(headers: Headers): readonly string[] {
  return headers.getSetCookie().filter((cookie) => SESSION_COOKIE.test(cookie));
}

/** What better-auth answered; undefined where it refused. What failed, fails here as well. */
export async function orRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isAPIError(error) && error.statusCode < 500) return undefined;
    throw error;
  }
}
