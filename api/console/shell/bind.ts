/**
 * How the console's routes are served. A request passes, in this order: where it comes from (a form of another site is refused), the
 * session, the pages and forms of one person in a minute, the membership of the organization that the path names, the role, the token
 * of the form. Only then is it answered.
 */

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import cookie from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JSX } from 'preact';
import type { Session } from '../../accounts/people/people.ts';
import type { SurfaceDeps } from '../../data/app.ts';
import { acceptBodies } from '../../server/bodies.ts';
import { HttpError, httpError, notFound } from '../../server/errors/http-error.ts';
import { HTML_TYPE } from '../../server/response-headers.ts';
import type { PageDeps } from '../console-deps.ts';
import { failureFrom, renderFailure } from './errors.tsx';
import { addAssets, OrganizationHeader, PersonHeader, renderDocument, StrangerHeader } from './layout.tsx';
import { type ConsoleResponse, type FormValues, textOf } from './response.ts';
import { type ConsoleRoute, formsWithoutPage, pathOf, type Seen, see, type Visitor } from './routes.ts';

/** Largest form, in bytes: names and ids, and a list of filters of an endpoint. */
const FORM_BYTES_MAX = 64 * 1024;

export interface BindDeps extends PageDeps {
  readonly formKey: Buffer;
  readonly baseUrlOf: SurfaceDeps['baseUrlOf'];
}

/** Adds the console's routes to a scope of their own. */
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
    getUserInfo: ({ consoleSession }) => consoleSession?.id ?? STRANGER,
  });
  scope.decorateRequest('consoleSession', undefined);
  scope.decorateRequest('seen', undefined);
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
  for (const route of routes) bindConsoleRoute(scope, route, server);
  for (const { at, to } of formsWithoutPage(routes))
    scope.get(at, (request, reply) => reply.redirect(root + filledIn(to, request), 303));
}

function filledIn(path: string, { params }: FastifyRequest): string {
  const values = params as Visitor['params']; // As in `visitorOf`.
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

interface Server extends BindDeps {
  readonly root: string;
  readonly version: string;
  /** The cookie that a browser proves by that a form is its own: nobody else has its value. */
  readonly formCookie: string;
}

/** Whose token a form of the sign-in page carries. */
const STRANGER = 'stranger';

function bindConsoleRoute(scope: FastifyInstance, route: ConsoleRoute, server: Server): void {
  const path = pathOf(route);
  const findWhatIsSeen = async (request: FastifyRequest, reply: FastifyReply) => {
    const visitor = await visitorOf(request, reply, server);
    const seen = await see(route, visitor, server);
    if ('response' in seen) return send(seen.response, reply, { pages: visitor, server });
    request.seen = seen;
    return undefined;
  };
  const handler = async ({ seen }: FastifyRequest, reply: FastifyReply) => {
    if (seen === undefined) throw new Error('a page was reached that nobody was found to see');
    return send(await seen.run(), reply, { pages: seen.pages, server });
  };
  if (route.method === 'GET') scope.get(path, { preHandler: findWhatIsSeen }, handler);
  else
    scope.post(path, { onRequest: ownFormsOnly(server), preHandler: [findWhatIsSeen, scope.csrfProtection] }, handler);
}

/** Refuses the forms of other sites before they are read. */
function ownFormsOnly({ baseUrlOf }: Server) {
  return async (request: FastifyRequest) => {
    if (!isFromElsewhere(request.headers, new URL(baseUrlOf(request)).origin)) return;
    throw httpError('bad_request', 'This form was sent from another site, or to another address of this service.');
  };
}

async function visitorOf(request: FastifyRequest, reply: FastifyReply, server: Server): Promise<Visitor> {
  // No id and no word has it, and PostgreSQL fails where it is asked for one that does.
  if (request.url.includes('%00')) throw notFound(null, 'There is no such page');
  const { cookie: cookies } = request.headers;
  const found = await server.people.sessions.find(cookies);
  for (const value of found?.cookies ?? []) reply.header('Set-Cookie', value);
  request.consoleSession = found?.session;
  return {
    // Fastify's own types don't know them: every one is a text, since the router and the query parser make no others.
    params: request.params as Visitor['params'],
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
    token: reply.generateCsrf({ userInfo: found?.session.id ?? STRANGER }),
    session: found?.session,
    now: server.clock(),
  };
}

/** What tells a browser from others in what leaves it, such as a link in a mail: a hash of its secret. */
function browserOf(secret: string | undefined): string | undefined {
  return secret === undefined ? undefined : createHash('sha256').update(`browser:${secret}`).digest('base64url');
}

async function send(
  response: ConsoleResponse,
  reply: FastifyReply,
  { pages, server }: { readonly pages: Seen['pages']; readonly server: Server },
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
      // A redirect would be asked about by the policy for forms, and so would those that follow it elsewhere.
      if (response.goesTo !== undefined) reply.header('Refresh', `0; url=${response.goesTo}`);
      const header = headerFor(pages);
      const html = renderDocument({ title: response.title, root, version, header, children: response.body });
      return reply.code(response.status).type(HTML_TYPE).send(html);
    }
  }
}

function headerFor(seen: Seen['pages']): JSX.Element {
  if ('organization' in seen) return OrganizationHeader({ pages: seen, here: seen.url });
  if ('memberships' in seen) return PersonHeader({ pages: seen });
  return StrangerHeader({ root: seen.root });
}

/** What a form says; the parser of forms makes nothing else of a body. */
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
    /** Of a request to the console: whose session it names. */
    consoleSession: Session | undefined;
    /** Of a request to the console: what answers it. */
    seen: Seen | undefined;
  }
}

/** No script and no style but our own files: what slips into a page as text can do nothing there. */
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

/** What every answer of the console says to browsers (specification "Console"). */
export const PAGE_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Frame-Options': 'DENY',
  // Forms must say where they come from, which `no-referrer` would keep them from.
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Cache-Control': 'no-store',
  Vary: 'Cookie',
} as const;

/**
 * True where a browser says that a form comes from another site's page. What sends neither header is no browser of today; its
 * token is checked all the same.
 */
export function isFromElsewhere(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ownOrigin: string,
): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && origin !== ownOrigin;
}
