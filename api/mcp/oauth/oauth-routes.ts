/**
 * How programs get access tokens (specification "Connected programs"): the metadata that tells them, and the provider's own routes, handed
 * to it as they come. The pages that people see on the way are the console's.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressLimiter, tooManyRequests } from '../../accounts/address-limit.ts';
import type { Accounts } from '../../accounts/open-accounts.ts';
import type { Authorization } from '../../accounts/people/authorization.ts';
import { OAUTH_PATHS, READ_SCOPE, REFRESH_SCOPE } from '../../accounts/people/connections.ts';
import { takeBodies } from '../../server/bodies.ts';
import { httpError } from '../../server/errors/http-error.ts';
import { authorizationServer, protectedResource } from './metadata.ts';
import { type RefusedClient, refuseInOAuthsWords, registrationFrom, tokenRefusal } from './registration.ts';

/** Largest form or registration, in bytes. */
const BODY_BYTES_MAX = 16 * 1024;
/** Requests of one client address to these routes in any 60 seconds, unless the settings say otherwise. */
export const OAUTH_REQUESTS_PER_MINUTE = 120;
/** How long others may keep the metadata. */
const METADATA_CACHE = 'public, max-age=300';

export interface OAuthSettings {
  readonly authorization: Authorization;
  /** Scheme, host and base path of the service, which is the issuer. */
  readonly publicUrl: string;
  /** Where requests of a client address are counted. */
  readonly accounts: Pick<Accounts, 'limits'>;
  readonly requestsPerMinute: number;
}

/** Adds the routes below the base path, and the metadata where clients look for it: at the root of the host. */
export async function addOAuthRoutes(
  scope: FastifyInstance,
  root: FastifyInstance,
  settings: OAuthSettings,
): Promise<void> {
  const { publicUrl } = settings;
  for (const { paths, body } of [protectedResource(publicUrl), authorizationServer(publicUrl)])
    for (const path of paths) root.get(path, (_, reply) => reply.header('Cache-Control', METADATA_CACHE).send(body));
  await scope.register((routes, _, done) => {
    addProviderRoutes(routes, settings);
    done();
  });
}

function addProviderRoutes(routes: FastifyInstance, settings: OAuthSettings): void {
  const { authorization, publicUrl, requestsPerMinute: perMinute } = settings;
  const limitAddress = addressLimiter(settings.accounts);
  takeBodies(routes, { kinds: ['form', 'json'], bytesMax: BODY_BYTES_MAX });
  refuseInOAuthsWords(routes, publicUrl);
  routes.addHook('preHandler', async (request) => {
    await limitAddress(request.ip, { what: 'oauth2', perMinute });
    assertWithoutNul(request);
  });
  const ask = async (path: string, reply: FastifyReply, init: RequestInit) =>
    answer(await authorization.handle(new Request(publicUrl + path, init)), reply);
  routes.get(OAUTH_PATHS.authorize, (request, reply) =>
    ask(`${OAUTH_PATHS.authorize}?${authorizationQuery(request, publicUrl)}`, reply, {
      headers: given(request, 'cookie'),
    }),
  );
  for (const path of [OAUTH_PATHS.token, OAUTH_PATHS.revoke]) {
    routes.post(path, async (request, reply) => {
      const body = formOf(request.body);
      const init = { method: 'POST', headers: given(request, 'authorization'), body };
      const response = await authorization.handle(new Request(publicUrl + path, init));
      return response.ok ? answer(response, reply) : refuse(response, reply, await refusedClient(request, body));
    });
  }
  const refusedClient = async ({ headers }: FastifyRequest, form: URLSearchParams) => {
    const clientId = clientFromHeader(headers.authorization) ?? form.get('client_id') ?? '';
    return { hasHeader: headers.authorization !== undefined, isKnown: await authorization.knows(clientId) };
  };
  routes.post(OAUTH_PATHS.register, async (request, reply) => {
    const origin = { address: request.ip, userAgent: undefined };
    const registered = await authorization.register(registrationFrom(request.body), origin);
    if ('tooMany' in registered) throw tooManyRequests(registered.retryAfterSeconds);
    return answer(registered, reply);
  });
}

/**
 * What a program asks for, for this service alone where it doesn't say for which, and with refresh tokens: the clients that there are
 * don't ask for them, and a person would have to connect them anew each hour. A person is asked each time, since the page is where
 * the organization is chosen.
 */
function authorizationQuery({ url }: FastifyRequest, publicUrl: string): URLSearchParams {
  const { searchParams } = new URL(url, publicUrl);
  if (!searchParams.has('resource')) searchParams.set('resource', `${publicUrl}/mcp`);
  searchParams.set('scope', withOurScopes(searchParams.get('scope') ?? ''));
  searchParams.delete('max_age'); // Whoever is signed in is asked, however long ago it was.
  searchParams.set('prompt', 'consent');
  return searchParams;
}

/**
 * The scopes that are asked for, and the two that all tokens have. A refresh token that has lost its own scope is taken again and again
 * by the provider, and replaced by none.
 */
function withOurScopes(asked: string): string {
  const scopes = asked.split(' ').filter((scope) => scope !== '');
  return [...new Set([READ_SCOPE, ...scopes, REFRESH_SCOPE])].join(' ');
}

/** PostgreSQL fails where it is asked for a text with one, or to keep it. */
function assertWithoutNul({ url, body = null }: FastifyRequest): void {
  if (url.includes('%00') || JSON.stringify(body).includes('\\u0000'))
    throw httpError('bad_request', 'No parameter may hold the character NUL');
}

function given({ headers }: FastifyRequest, name: 'cookie' | 'authorization'): Record<string, string> {
  const value = headers[name];
  return value === undefined ? {} : { [name]: value };
}

/**
 * A form as it was sent, with all scopes; what is no form becomes an empty one, which the provider refuses in its own words. A parameter
 * comes once (RFC 6749, 3.2), but for resources (RFC 8707).
 */
function formOf(body: unknown): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(Object(body))) {
    if (name !== 'resource' && Array.isArray(value) && value.length > 1)
      throw httpError('bad_request', 'Every parameter but resource may be given once');
    for (const one of [value].flat()) form.append(name, String(one));
  }
  const scope = form.get('scope');
  if (scope !== null) form.set('scope', withOurScopes(scope));
  return form;
}

const PASSED_ON = ['content-type', 'location', 'www-authenticate'];

async function answer(response: Response, reply: FastifyReply): Promise<FastifyReply> {
  for (const name of PASSED_ON) {
    const value = response.headers.get(name);
    if (value !== null) reply.header(name, value);
  }
  return reply
    .code(response.status)
    .header('Cache-Control', 'no-store')
    .send(await response.text());
}

const Refusal = z.object({ error: z.string(), error_description: z.string().default('refused') });

/** What is no refusal in OAuth's form is passed on as it is. */
async function refuse(response: Response, reply: FastifyReply, client: RefusedClient): Promise<FastifyReply> {
  const refusal = Refusal.safeParse(await response.clone().json());
  if (!refusal.success) return answer(response, reply);
  const { status, headers, body } = tokenRefusal(refusal.data, client);
  return reply.code(status).headers(headers).header('Cache-Control', 'no-store').send(body);
}

/** Undefined where the header names none. */
function clientFromHeader(authorization: string | undefined): string | undefined {
  const [, credentials] = /^basic\s+(\S*)$/i.exec(authorization ?? '') ?? [];
  if (credentials === undefined) return undefined;
  const [clientId = ''] = Buffer.from(credentials, 'base64').toString().split(':', 1);
  return clientId;
}
