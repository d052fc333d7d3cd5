import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { mcp } from '@better-auth/mcp';
import type { BetterAuthPlugin } from 'better-auth';
import { ACCESS_TOKENS, hashOfToken, REFRESH_TOKENS } from '../../organizations/token-form.ts';
import { READ_SCOPE, REFRESH_SCOPE } from '../connections.ts';
import { CONSOLE_PATHS, type ConnectionSettings } from '../people.ts';

/** The organization being connected, during a consent. */
const chosenOrganization = new AsyncLocalStorage<string>();

/** Runs a consent for this organization. */
export function withOrganization<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
  return chosenOrganization.run(organizationId, work);
}

/**
 * The OAuth 2.1 provider for MCP: authorization codes with PKCE (S256) only, self-registering programs, single-use
 * refresh tokens. Tokens are random and stored as hashes, so revocations show in the database. A consent always names
 * an organization. The type hides the endpoints, which only requests use. Without settings the plugin does nothing.
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
    enforcePerClientResources: false, // There is one; programs of an earlier address stay valid.
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true, // Programs have no account before they are connected.
    allowPublicClientPrelogin: true, // Checks a request's signature before a page shows its contents.
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
        if (organizationId === undefined) throw new Error('no organization was selected for the connection');
        return organizationId;
      },
    },
  } satisfies Parameters<typeof mcp>[0];
  return mcp({ ...options, schema: mapNames(mcp(options).schema) });
}

/** Our names for the provider's tables (migration 0010). */
const TABLES: Readonly<Record<string, string>> = {
  oauthClient: 'oauth_clients',
  oauthResource: 'oauth_resources',
  oauthClientResource: 'oauth_client_resources',
  oauthRefreshToken: 'oauth_refresh_tokens',
  oauthAccessToken: 'oauth_access_tokens',
  oauthConsent: 'connections',
  oauthClientAssertion: 'oauth_client_assertions',
};

/** The provider's own schema in snake_case, except for some names. */
function mapNames(schema: Readonly<Record<string, { readonly fields: object }>>) {
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
