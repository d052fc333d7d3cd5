/**
 * Serves the console's routes. The checks in order: the form's site, the session, the person's rate limit, membership
 * of the organization in the path, role, the form's token.
 */

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import cookie from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JSX } from 'preact';
import type { Session } from '../../accounts/people/people.ts';
import type { SurfaceDeps } from '../../data/app.ts';
import { acceptBodies, ignoreBodies } from '../../server/bodies.ts';
import { HttpError, httpError, notFound } from '../../server/errors/http-error.ts';
import { HTML_TYPE } from '../../server/response-headers.ts';
import type { PageDeps } from '../console-deps.ts';
import { failureFrom, renderFailure } from './errors.tsx';
import { AnonymousHeader, addAssets, OrganizationHeader, PersonHeader, renderDocument } from './layout.tsx';
import { type ConsoleResponse, type FormValues, textOf } from './response.ts';
import { type AdmittedPage, admit, type ConsoleRoute, formsWithoutPage, type PageRequest, pathOf } from './routes.ts';

/** In bytes: names, ids, and filters of an endpoint. */
const FORM_BYTES_MAX = 64 * 1024;

export interface BindDeps extends PageDeps {
  readonly formKey: Buffer;
  readonly baseUrlOf: SurfaceDeps['baseUrlOf'];
}

export async function bindConsole(
  scope: FastifyInstance,
  routes: readonly ConsoleRoute[],
  deps: BindDeps,
): Promise<void> {
  const root = scope.prefix;
  const isSecure = deps.settings.publicUrl?.startsWith('https:') === true;
  const formCookie = isSecure ? '__Host-modelstats_form' : 'modelstats_form';
  acceptBodies(scope, { kinds: ['form'], bytesMax: FORM_BYTES_MAX });
  await scope.register(cookie);
  await scope.register(csrf, {
    cookieKey: formCookie,
    cookieOpts: { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure },
    csrfOpts: { hmacKey: deps.formKey.toString('base64') },
    getToken: (request) => textOf(formOf(request), '_csrf'),
    getUserInfo: ({ consoleSession }) => consoleSession?.id ?? ANONYMOUS,
  });
  scope.decorateRequest('consoleSession', undefined);
  scope.decorateRequest('admitted', undefined);
  const version = addAssets(scope);
  scope.addHook('onSend', async (_, reply) => {
    for (const [name, value] of Object.entries(PAGE_HEADERS)) {
      if (name !== 'Cache-Control' || !reply.hasHeader(name)) reply.header(name, value);
    }
  });
  const fail = async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const failure = failureFrom(error);
    if (failure.status >= 500) request.log.error({ err: error }, 'a page of the console failed');
    if (error instanceof HttpError) reply.headers(error.options.headers ?? {});
    const html = renderFailure({ failure, requestId: request.id, root, version });
    return reply.code(failure.status).type(HTML_TYPE).send(html);
  };
  scope.setErrorHandler(fail);
  scope.setNotFoundHandler((request, reply) => fail(notFound(null, 'There is no such page'), request, reply));
  const server = { ...deps, root, version, formCookie };
  for (const route of routes.filter(({ isSigned }) => isSigned !== true)) bindConsoleRoute(scope, route, server);
  await scope.register((signed, _options, done) => {
    ignoreBodies(signed);
    for (const route of routes.filter(({ isSigned }) => isSigned === true)) bindConsoleRoute(signed, route, server);
    done();
  });
  for (const { at, to } of formsWithoutPage(routes))
    scope.get(at, (request, reply) => reply.redirect(root + filledIn(to, request), 303));
}

function filledIn(path: string, { params }: FastifyRequest): string {
  const values = params as PageRequest['params']; // As in `pageRequestOf`.
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

interface Server extends BindDeps {
  readonly root: string;
  readonly version: string;
  /** A browser's secret, which proves that a form is its own. */
  readonly formCookie: string;
}

/** Identity in the tokens of the sign-in page. */
const ANONYMOUS = 'stranger';

function bindConsoleRoute(scope: FastifyInstance, route: ConsoleRoute, server: Server): void {
  const path = pathOf(route);
  const admitRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const pageRequest = await pageRequestOf(request, reply, server);
    const admitted = await admit(route, pageRequest, server);
    if ('response' in admitted) return send(admitted.response, reply, { pages: pageRequest, server });
    request.admitted = admitted;
    return undefined;
  };
  const handler = async ({ admitted }: FastifyRequest, reply: FastifyReply) => {
    if (admitted === undefined) throw new Error('the page was handled without admission');
    return send(await admitted.run(), reply, { pages: admitted.pages, server });
  };
  if (route.method === 'GET') scope.get(path, { preHandler: admitRequest }, handler);
  else if (route.isSigned === true) scope.post(path, { preHandler: admitRequest }, handler);
  else scope.post(path, { onRequest: ownFormsOnly(server), preHandler: [admitRequest, scope.csrfProtection] }, handler);
}

/** Refuses forms of other sites before reading them. */
function ownFormsOnly({ baseUrlOf }: Server) {
  return async (request: FastifyRequest) => {
    if (!isCrossSite(request.headers, new URL(baseUrlOf(request)).origin)) return;
    throw httpError(
      'bad_request',
      'This form was sent from another site, or to another address of this service. Open the page again and send it from there.',
    );
  };
}

async function pageRequestOf(request: FastifyRequest, reply: FastifyReply, server: Server): Promise<PageRequest> {
  // No id or word contains NUL, which PostgreSQL rejects.
  if (request.url.includes('%00')) throw notFound(null, 'There is no such page');
  const { cookie: cookies } = request.headers;
  const found = await server.people.sessions.find(cookies);
  for (const value of found?.cookies ?? []) reply.header('Set-Cookie', value);
  request.consoleSession = found?.session;
  return {
    // The router and the query parser make only text, which Fastify's types don't express.
    params: request.params as PageRequest['params'],
    query: singleTexts(request.query),
    form: formOf(request),
    url: request.url,
    cookies,
    origin: {
      address: request.ip,
      userAgent: request.headers['user-agent'],
      browser: browserOf(request.cookies[server.formCookie]),
    },
    baseUrl: server.baseUrlOf(request),
    root: server.root,
    token: reply.generateCsrf({ userInfo: found?.session.id ?? ANONYMOUS }),
    session: found?.session,
    now: server.clock(),
  };
}

/** Identifies a browser in links of mails by a hash of its secret. */
function browserOf(secret: string | undefined): string | undefined {
  return secret === undefined ? undefined : createHash('sha256').update(`browser:${secret}`).digest('base64url');
}

async function send(
  response: ConsoleResponse,
  reply: FastifyReply,
  { pages, server }: { readonly pages: AdmittedPage['pages']; readonly server: Server },
): Promise<FastifyReply> {
  switch (response.kind) {
    case 'redirect':
      for (const value of response.cookies ?? []) reply.header('Set-Cookie', value);
      return reply.redirect(response.to, 303);
    case 'file':
      return reply
        .type(response.type)
        .header('Content-Disposition', `attachment; filename="${response.name}"`)
        .send(Readable.from(response.text));
    case 'page': {
      const { root, version } = server;
      // The policy for forms would also apply to a redirect and those that follow it.
      if (response.forwardTo !== undefined) reply.header('Refresh', `0; url=${response.forwardTo}`);
      const header = headerFor(pages);
      const html = renderDocument({ title: response.title, root, version, header, children: response.body });
      return reply.code(response.status).type(HTML_TYPE).send(html);
    }
  }
}

function headerFor(pages: AdmittedPage['pages']): JSX.Element {
  if ('organization' in pages) return OrganizationHeader({ pages, here: pages.url });
  if ('memberships' in pages) return PersonHeader({ pages });
  return AnonymousHeader({ root: pages.root });
}

/** The form parser makes no other body. */
function formOf({ body }: FastifyRequest): FormValues {
  return (body ?? {}) as FormValues;
}

/** The first of each parameter. */
function singleTexts(query: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(query as Readonly<Record<string, string | readonly string[]>>);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : (value[0] ?? '')]),
  );
}

declare module 'fastify' {
  interface FastifyRequest {
    consoleSession: Session | undefined;
    /** Of an admitted console request. */
    admitted: AdmittedPage | undefined;
  }
}

/** Only our own scripts and styles run, so injected text is harmless. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** In every response of the console (specification "Console"). */
export const PAGE_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Frame-Options': 'DENY',
  // Forms must state their origin, which `no-referrer` would suppress.
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Cache-Control': 'no-store',
  Vary: 'Cookie',
} as const;

/**
 * Whether the browser reports another site as the form's origin. Current browsers send one of the headers; the token is
 * checked anyway.
 */
export function isCrossSite(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ownOrigin: string,
): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && origin !== ownOrigin;
}
