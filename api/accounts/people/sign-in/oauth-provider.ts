import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { mcp } from '@better-auth/mcp';
import type { BetterAuthPlugin } from 'better-auth';
import { ACCESS_TOKENS, hashOfToken, REFRESH_TOKENS } from '../../credentials/token-form.ts';
import { READ_SCOPE, REFRESH_SCOPE } from '../connections.ts';
import type { ConnectionSettings } from '../people.ts';
import { CONSOLE_PATHS } from '../people.ts';

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
  return mcp({
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
    schema: OAUTH_SCHEMA,
  });
}

/** Our names for the tables and columns of better-auth's OAuth provider (migration 0010); those that are missing are alike. */
const OF_CONNECTION = { clientId: 'client_id', userId: 'person_id', referenceId: 'organization_id' } as const;
const OF_TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;
const OF_TOKEN = {
  ...OF_CONNECTION,
  sessionId: 'session_id',
  authorizationCodeId: 'authorization_code_id',
  requestedUserInfoClaims: 'requested_user_info_claims',
  expiresAt: 'expires_at',
  createdAt: 'created_at',
} as const;

const OAUTH_SCHEMA = {
  oauthClient: {
    modelName: 'oauth_clients',
    fields: {
      ...OF_TIMES,
      clientId: 'client_id',
      clientSecret: 'client_secret',
      clientDiscoveryId: 'client_discovery_id',
      skipConsent: 'skip_consent',
      enableEndSession: 'enable_end_session',
      subjectType: 'subject_type',
      clientCredentialsScopes: 'client_credentials_scopes',
      userId: 'person_id',
      softwareId: 'software_id',
      softwareVersion: 'software_version',
      softwareStatement: 'software_statement',
      redirectUris: 'redirect_uris',
      postLogoutRedirectUris: 'post_logout_redirect_uris',
      backchannelLogoutUri: 'backchannel_logout_uri',
      backchannelLogoutSessionRequired: 'backchannel_logout_session_required',
      tokenEndpointAuthMethod: 'token_endpoint_auth_method',
      applicationType: 'application_type',
      jwksUri: 'jwks_uri',
      grantTypes: 'grant_types',
      responseTypes: 'response_types',
      requirePKCE: 'require_pkce',
      dpopBoundAccessTokens: 'dpop_bound_access_tokens',
      referenceId: 'reference_id',
    },
  },
  oauthResource: {
    modelName: 'oauth_resources',
    fields: {
      ...OF_TIMES,
      accessTokenTtl: 'access_token_ttl',
      refreshTokenTtl: 'refresh_token_ttl',
      signingAlgorithm: 'signing_algorithm',
      signingKeyId: 'signing_key_id',
      allowedScopes: 'allowed_scopes',
      customClaims: 'custom_claims',
      dpopBoundAccessTokensRequired: 'dpop_bound_access_tokens_required',
      policyVersion: 'policy_version',
    },
  },
  oauthClientResource: {
    modelName: 'oauth_client_resources',
    fields: { clientId: 'client_id', resourceId: 'resource_id', createdAt: 'created_at' },
  },
  oauthRefreshToken: {
    modelName: 'oauth_refresh_tokens',
    fields: {
      ...OF_TOKEN,
      rotatedAt: 'rotated_at',
      rotationReplayResponse: 'rotation_replay_response',
      rotationReplayExpiresAt: 'rotation_replay_expires_at',
      authTime: 'auth_time',
    },
  },
  oauthAccessToken: { modelName: 'oauth_access_tokens', fields: { ...OF_TOKEN, refreshId: 'refresh_id' } },
  oauthConsent: {
    modelName: 'connections',
    fields: { ...OF_CONNECTION, ...OF_TIMES, requestedUserInfoClaims: 'requested_user_info_claims' },
  },
  oauthClientAssertion: { modelName: 'oauth_client_assertions', fields: { expiresAt: 'expires_at' } },
} as const;
