/**
 * How clients get access tokens (specification "Connected programs"): metadata, and the forwarded routes of the
 * provider. The console has the pages for people.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressLimiter, tooManyRequests } from '../accounts/address-limit.ts';
import type { Accounts } from '../accounts/open-accounts.ts';
import { OAUTH_PATHS, READ_SCOPE, REFRESH_SCOPE } from '../accounts/people/connections.ts';
import type { OAuthAuthorization } from '../accounts/people/oauth-authorization.ts';
import { JSON_TYPE } from '../data/responses/data-responses.ts';
import { type BoundRoute, bindRoute, type WholeResponse } from '../server/bind-route.ts';
import { acceptBodies } from '../server/bodies.ts';
import { httpError } from '../server/errors/http-error.ts';
import { authorizationServer, protectedResource } from './metadata.ts';
import { type RefusedClient, refuseAsOAuth, registrationFrom, tokenRefusal } from './registration.ts';

/** Largest form or registration, in bytes. */
const BODY_BYTES_MAX = 16 * 1024;
/** Default, per client address in any 60 seconds. */
export const OAUTH_REQUESTS_PER_MINUTE = 120;
const METADATA_HEADERS = { 'Cache-Control': 'public, max-age=300', 'Content-Type': JSON_TYPE };

export interface OAuthSettings {
  readonly authorization: OAuthAuthorization;
  /** Scheme, host and base path of the service; also the issuer. */
  readonly publicUrl: string;
  /** Counts requests per client address. */
  readonly accounts: Pick<Accounts, 'limits'>;
  readonly requestsPerMinute: number;
}

/** Adds the routes below the base path, and the metadata at the root of the host. */
export async function addOAuthRoutes(
  scope: FastifyInstance,
  root: FastifyInstance,
  settings: OAuthSettings,
): Promise<void> {
  const { publicUrl } = settings;
  for (const { paths, body } of [protectedResource(publicUrl), authorizationServer(publicUrl)])
    for (const path of paths) {
      const response = { status: 200, headers: METADATA_HEADERS, body: JSON.stringify(body) };
      bindRoute(root, { path, respond: async () => response });
    }
  await scope.register((routes, _, done) => {
    const limitAddress = addressLimiter(settings.accounts);
    acceptBodies(routes, { kinds: ['form', 'json'], bytesMax: BODY_BYTES_MAX });
    refuseAsOAuth(routes, publicUrl);
    routes.addHook('preHandler', async (request) => {
      await limitAddress(request.ip, { what: 'oauth2', perMinute: settings.requestsPerMinute });
      assertWithoutNul(request);
    });
    for (const route of providerRoutes(settings)) bindRoute(routes, route);
    done();
  });
}

function providerRoutes({ authorization, publicUrl }: OAuthSettings): readonly BoundRoute[] {
  const forward = (path: string, init: RequestInit) => authorization.handle(new Request(publicUrl + path, init));
  const refusedClient = async ({ headers }: FastifyRequest, form: URLSearchParams) => {
    const clientId = clientFromHeader(headers.authorization) ?? form.get('client_id') ?? '';
    return { hasHeader: headers.authorization !== undefined, isKnown: await authorization.knows(clientId) };
  };
  const formRoute = (path: string): BoundRoute => ({
    method: 'POST',
    path,
    respond: async (request) => {
      const body = formOf(request.body);
      const response = await forward(path, { method: 'POST', headers: given(request, 'authorization'), body });
      return response.ok ? responseFrom(response) : refuse(response, await refusedClient(request, body));
    },
  });
  return [
    {
      path: OAUTH_PATHS.authorize,
      respond: async (request) => {
        const query = authorizationQuery(request, publicUrl);
        return responseFrom(await forward(`${OAUTH_PATHS.authorize}?${query}`, { headers: given(request, 'cookie') }));
      },
    },
    formRoute(OAUTH_PATHS.token),
    formRoute(OAUTH_PATHS.revoke),
    {
      method: 'POST',
      path: OAUTH_PATHS.register,
      respond: async ({ ip: address, body }) => {
        const registered = await authorization.register(registrationFrom(body), { address, userAgent: undefined });
        if ('tooMany' in registered) throw tooManyRequests(registered.retryAfterSeconds);
        return responseFrom(registered);
      },
    },
  ];
}

/**
 * Adds this service as resource and the scope of refresh tokens: clients omit it, and people would have to reconnect
 * hourly. Always asks for consent, because that page chooses the organization.
 */
function authorizationQuery({ url }: FastifyRequest, publicUrl: string): URLSearchParams {
  const { searchParams } = new URL(url, publicUrl);
  if (!searchParams.has('resource')) searchParams.set('resource', `${publicUrl}/mcp`);
  searchParams.set('scope', withOurScopes(searchParams.get('scope') ?? ''));
  searchParams.delete('max_age'); // People who are signed in need not sign in again.
  searchParams.set('prompt', 'consent');
  return searchParams;
}

/** The provider accepts a refresh token without its scope but issues no new one. */
function withOurScopes(requested: string): string {
  const scopes = requested.split(' ').filter((scope) => scope !== '');
  return [...new Set([READ_SCOPE, ...scopes, REFRESH_SCOPE])].join(' ');
}

/** PostgreSQL rejects texts that contain NUL. */
function assertWithoutNul({ url, body = null }: FastifyRequest): void {
  if (url.includes('%00') || JSON.stringify(body).includes('\\u0000'))
    throw httpError('bad_request', 'Parameters must not contain the character NUL');
}

function given({ headers }: FastifyRequest, name: 'cookie' | 'authorization'): Record<string, string> {
  const value = headers[name];
  return value === undefined ? {} : { [name]: value };
}

/**
 * Adds the scopes. A body that is no form becomes an empty one, which the provider refuses. Parameters must not repeat
 * (RFC 6749, 3.2), except resources (RFC 8707).
 */
function formOf(body: unknown): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(Object(body))) {
    if (name !== 'resource' && Array.isArray(value) && value.length > 1)
      throw httpError('bad_request', 'Send each parameter once; only resource may be repeated');
    for (const one of [value].flat()) form.append(name, String(one));
  }
  const scope = form.get('scope');
  if (scope !== null) form.set('scope', withOurScopes(scope));
  return form;
}

const PASSED_ON = ['content-type', 'location', 'www-authenticate'];

async function responseFrom(response: Response): Promise<WholeResponse> {
  const passedOn = [...response.headers].filter(([name]) => PASSED_ON.includes(name));
  const headers = { ...Object.fromEntries(passedOn), 'Cache-Control': 'no-store' };
  return { status: response.status, headers, body: await response.text() };
}

const Refusal = z.object({ error: z.string(), error_description: z.string().default('refused') });

/** Responses that are no OAuth error are passed on. */
async function refuse(response: Response, client: RefusedClient): Promise<WholeResponse> {
  const refusal = Refusal.safeParse(await response.clone().json());
  return refusal.success ? tokenRefusal(refusal.data, client) : responseFrom(response);
}

/** Undefined without a client in the header. */
function clientFromHeader(authorization: string | undefined): string | undefined {
  const [, credentials] = /^basic\s+(\S*)$/i.exec(authorization ?? '') ?? [];
  if (credentials === undefined) return undefined;
  const [clientId = ''] = Buffer.from(credentials, 'base64').toString().split(':', 1);
  return clientId;
}
