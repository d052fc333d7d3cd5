import { OAUTH_PATHS, READ_SCOPE, REFRESH_SCOPE } from '../accounts/people/connections.ts';

/** Where the documents are found by which programs learn how to connect: RFC 9728 and RFC 8414 put a path behind these. */
const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource';
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server';

/** A document, and the paths at which it is found, from the root of the host. */
export interface Metadata {
  readonly paths: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

/** Of the service as what is asked (RFC 9728): what its tokens are for, and who gives them. */
export function protectedResource(publicUrl: string): Metadata {
  const { pathname } = new URL(`${publicUrl}/mcp`);
  return {
    // The plain one is tried by programs that saw no challenge.
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

/** Of the service as who gives tokens (RFC 8414). */
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

/**
 * What `WWW-Authenticate` says to whoever sent no valid credential: where to learn how to get one, and whether the one that came is
 * no good (RFC 6750).
 */
export function challengeOf(publicUrl: string): (hasToken: boolean) => string {
  const [path = ''] = protectedResource(publicUrl).paths;
  const metadata = `resource_metadata="${new URL(path, publicUrl).href}", scope="${READ_SCOPE}"`;
  return (hasToken) => (hasToken ? `Bearer error="invalid_token", ${metadata}` : `Bearer ${metadata}`);
}

/** Of an address; empty for none. */
function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}
