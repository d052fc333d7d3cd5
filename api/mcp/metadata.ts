import { OAUTH_PATHS, READ_SCOPE, REFRESH_SCOPE } from '../accounts/people/connections.ts';

/** Well-known URLs that clients discover; RFC 9728 and RFC 8414 append a path. */
const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource';
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server';

/** A document and its paths, from the root of the host. */
export interface Metadata {
  readonly paths: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

/** The service as resource server (RFC 9728). */
export function protectedResource(publicUrl: string): Metadata {
  const { pathname } = new URL(`${publicUrl}/mcp`);
  return {
    // Clients that saw no challenge try the plain one.
    paths: [`${PROTECTED_RESOURCE}${pathname}`, PROTECTED_RESOURCE],
    body: {
      resource: `${publicUrl}/mcp`,
      resource_name: 'modelstats',
      authorization_servers: [publicUrl],
      scopes_supported: [READ_SCOPE],
      bearer_methods_supported: ['header'],
    },
  };
}

/** The service as authorization server (RFC 8414). */
export function authorizationServer(publicUrl: string): Metadata {
  const clientProofs = ['none', 'client_secret_basic', 'client_secret_post'];
  return {
    paths: [`${AUTHORIZATION_SERVER}${pathOf(publicUrl)}`],
    body: {
      issuer: publicUrl,
      authorization_endpoint: publicUrl + OAUTH_PATHS.authorize,
      token_endpoint: publicUrl + OAUTH_PATHS.token,
      registration_endpoint: publicUrl + OAUTH_PATHS.register,
      revocation_endpoint: publicUrl + OAUTH_PATHS.revoke,
      scopes_supported: [READ_SCOPE, REFRESH_SCOPE],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: clientProofs,
      revocation_endpoint_auth_methods_supported: clientProofs,
      authorization_response_iss_parameter_supported: true,
    },
  };
}

/** `WWW-Authenticate` without a valid credential: the metadata's URL, and an error if a token was sent (RFC 6750). */
export function challengeOf(publicUrl: string): (hasToken: boolean) => string {
  const [path = ''] = protectedResource(publicUrl).paths;
  const metadata = `resource_metadata="${new URL(path, publicUrl).href}", scope="${READ_SCOPE}"`;
  return (hasToken) => (hasToken ? `Bearer error="invalid_token", ${metadata}` : `Bearer ${metadata}`);
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}
