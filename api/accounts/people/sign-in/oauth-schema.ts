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

export const OAUTH_SCHEMA = {
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
