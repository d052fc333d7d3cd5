import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { mcp } from '@better-auth/mcp';
import type { BetterAuthPlugin } from 'better-auth';
import { ACCESS_TOKENS, hashOfToken, REFRESH_TOKENS } from '../../organizations/token-form.ts';
import { READ_SCOPE, REFRESH_SCOPE } from '../connections.ts';
import { CONSOLE_PATHS, type ConnectionSettings } from '../people.ts';

/** The organization that somebody connects a program to, while they do. */
const chosenOrganization = new AsyncLocalStorage<string>();

/** Does the provider's work of a consent for this organization. */
export function withOrganization<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
  return chosenOrganization.run(organizationId, work);
}

/**
 * The OAuth 2.1 provider of MCP: authorization codes with PKCE (S256) alone, programs that register themselves, refresh tokens that are
 * good once. Its tokens are random texts, of which the database has the hash, so that the next look at the database knows whether one
 * is still good. A consent is for an organization, and never given without one being chosen. What its endpoints are is not told: they
 * are reached by requests alone. Without settings it is a plugin that does nothing.
 */
export function oauthProvider(
  settings: ConnectionSettings | undefined,
  publicUrl: string,
): Pick<BetterAuthPlugin, 'id'> {
  if (settings === undefined) return { id: 'no-connections' };
  const { resource, accessTokenSeconds, refreshTokenSeconds } = settings;
  const pathOf = (path: string) => `${publicUrl}${path}`;
  const options = {
    resource,
    loginPage: pathOf(CONSOLE_PATHS.connectSignedIn),
    consentPage: pathOf(CONSOLE_PATHS.connect),
    scopes: [READ_SCOPE, REFRESH_SCOPE],
    grantTypes: ['authorization_code', 'refresh_token'],
    enforcePerClientResources: false, // There is one; at another address, programs that registered before are as good.
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true, // Programs have no account here before a person connects them.
    allowPublicClientPrelogin: true, // Checks the signature of a request before its page shows what it holds.
    accessTokenExpiresIn: accessTokenSeconds,
    refreshTokenExpiresIn: refreshTokenSeconds,
    disableJwtPlugin: true,
    generateOpaqueAccessToken: () => ACCESS_TOKENS.fromBytes(randomBytes(32)),
    generateRefreshToken: () => REFRESH_TOKENS.fromBytes(randomBytes(32)),
    storeTokens: { hash: async (token) => hashOfToken(token) },
    postLogin: {
      page: pathOf(CONSOLE_PATHS.connect),
      shouldRedirect: () => false,
      consentReferenceId: () => {
        const organizationId = chosenOrganization.getStore();
        if (organizationId === undefined) throw new Error('a program was to be connected to no organization');
        return organizationId;
      },
    },
  } satisfies Parameters<typeof mcp>[0];
  return mcp({ ...options, schema: ourNames(mcp(options).schema) });
}

/** Our names for the tables of better-auth's OAuth provider (migration 0010). */
const TABLES: Readonly<Record<string, string>> = {
  oauthClient: 'oauth_clients',
  oauthResource: 'oauth_resources',
  oauthClientResource: 'oauth_client_resources',
  oauthRefreshToken: 'oauth_refresh_tokens',
  oauthAccessToken: 'oauth_access_tokens',
  oauthConsent: 'connections',
  oauthClientAssertion: 'oauth_client_assertions',
};

/** Our names for the provider's tables and columns: those of its own schema, in snake_case. */
function ourNames(schema: Readonly<Record<string, { readonly fields: object }>>) {
  const tables = Object.entries(schema).map(([model, { fields }]) => {
    const columns = Object.keys(fields).map((field) => [field, columnOf(model, field)]);
    return [model, { modelName: TABLES[model] ?? model, fields: Object.fromEntries(columns) }];
  });
  return Object.fromEntries(tables);
}

function columnOf(model: string, field: string): string {
  if (field === 'userId') return 'person_id';
  if (field === 'referenceId' && model !== 'oauthClient') return 'organization_id';
  return field.replaceAll(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`);
}
