/**
 * The same answers as tools, for agents (specification "MCP"): one URL for both eras of the protocol, stateless, so that any replica
 * answers any message. It has no rule of its own about who may ask for what: a request is admitted like any other, and each tool asks
 * a route of the API as part of it.
 */
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isThisMachine } from '../../runtime/this-machine.ts';
import type { RouteAccess } from '../data/access/access-control.ts';
import { API_ERRORS, ApiError } from '../data/api-errors.ts';
import type { AddSurface, SurfaceDeps } from '../data/app.ts';
import { getAdmission } from '../data/bind-access.ts';
import { bindRoute, type WholeResponse } from '../server/bind-route.ts';
import { acceptBodies } from '../server/bodies.ts';
import { sendError } from '../server/errors/error-handling.ts';
import { errorResponseFrom } from '../server/errors/error-response.ts';
import { HttpError, httpError } from '../server/errors/http-error.ts';
import { watchEnd } from '../server/request-log.ts';
import { Exchange } from './exchange.ts';
import { challengeOf } from './metadata.ts';
import { addOAuthRoutes, type OAuthSettings } from './oauth-routes.ts';
import { serverFor } from './server.ts';

/** `POST /mcp`: what it asks of its callers. The backstop is never below the organization's own limit per minute. */
export const MCP_ROUTE: RouteAccess = { name: '/mcp', capability: 'mcp', feature: null, limitPerMinute: 120 };

/** Longest message, in bytes: a call of a tool takes some hundred, the longest list of ids and cursors some thousand. */
const MESSAGE_BYTES_MAX = 64 * 1024;

export interface McpSettings {
  /** `scheme://host` that callers use; undefined: as each request names it. */
  readonly publicUrl: string | undefined;
  /** Of this program, as clients are told it. */
  readonly version: string;
  /** How programs are connected by people; undefined: with API keys alone. */
  readonly oauth: OAuthSettings | undefined;
}

/** Adds `POST /mcp`, below the base path; throws where nobody is asked for a key. */
export function mcpSurface(settings: McpSettings): AddSurface {
  return async (app, deps) => {
    const { oauth } = settings;
    if (oauth !== undefined) await addOAuthRoutes(app, deps.root, oauth);
    await app.register(async (scope) => {
      acceptBodies(scope, { kinds: ['json'], bytesMax: MESSAGE_BYTES_MAX });
      refuseAsJsonRpc(scope, deps.baseUrlOf);
      const access = oauth === undefined ? MCP_ROUTE : { ...MCP_ROUTE, challenge: challengeOf(oauth.publicUrl) };
      bindRoute(scope, {
        method: 'POST',
        path: '/mcp',
        config: { access },
        respond: (request, reply) => handleMessage(request, reply, { ...deps, ...settings }),
      });
    });
  };
}

async function handleMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  { answers, access, baseUrlOf, publicUrl, version }: SurfaceDeps & McpSettings,
): Promise<WholeResponse> {
  if (access === undefined) throw new Error('MCP needs accounts: every message is somebody’s');
  if (!isOwnOrigin(request.headers.origin, publicUrl)) {
    throw new ApiError('origin_not_allowed', 'Pages of other sites may not send messages here');
  }
  // A message is what is counted: many in one would pass the limits per minute as one.
  if (Array.isArray(request.body)) throw httpError('bad_request', 'Send one message a request, not a list of them');
  const baseUrl = baseUrlOf(request);
  const { id: requestId, log } = request;
  const exchange = new Exchange({ whole: getAdmission(request), access, answers, baseUrl, requestId, log });
  watchEnd(request, reply, (abort) => exchange.end(abort));
  // Its answers are JSON to clients of the new era and one event to those of the old one: no tool tells anything before its result.
  const handler = createMcpHandler(() => serverFor(exchange, version), {
    maxSubscriptions: 0, // Nothing is told before it is asked for.
    keepAliveMs: 0,
  });
  const response = await handler.fetch(messageFrom(request, `${baseUrl}/mcp`), { parsedBody: request.body });
  const type = response.headers.get('content-type');
  return {
    status: response.status,
    headers: { ...(type !== null && { 'Content-Type': type }), 'Cache-Control': 'no-store' },
    body: (await response.text()) || undefined,
  };
}

function messageFrom({ headers }: FastifyRequest, url: string): Request {
  const given = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return new Request(url.startsWith('http') ? url : `http://localhost${url}`, {
    method: 'POST',
    headers: Object.fromEntries(given.filter(([name]) => HEEDED.test(String(name)))),
  });
}

/** What the protocol says in headers. */
const HEEDED = /^(?:accept|content-type|mcp-.*)$/;

/**
 * Whether a page may send messages: requests without `Origin` come from no page. With a public URL it is that of the URL; without one
 * a page of this machine, since a name that an attacker lets point here would be in `Host` and `Origin` alike.
 */
export function isOwnOrigin(origin: string | undefined, publicUrl: string | undefined): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  if (publicUrl !== undefined) return new URL(origin).origin === new URL(publicUrl).origin;
  return isThisMachine(new URL(origin));
}

/** Codes of JSON-RPC 2.0 for a body that is no message. */
const [PARSE_ERROR, INVALID_REQUEST] = [-32_700, -32_600];

/** What may be wrong with a body; any other refusal is told as all routes tell it. */
const OF_THE_BODY = ['bad_request', 'payload_too_large', 'unsupported_media_type'];

/** Makes a scope refuse bodies that are no message as JSON-RPC does, with the status and the headers that they have anyhow. */
function refuseAsJsonRpc(scope: FastifyInstance, baseUrlOf: SurfaceDeps['baseUrlOf']): void {
  const contextOf = (request: FastifyRequest) => ({
    requestId: request.id,
    baseUrl: baseUrlOf(request),
    errors: API_ERRORS,
  });
  scope.setErrorHandler((thrown: unknown, request, reply) => {
    const { error } = errorResponseFrom(thrown, contextOf(request));
    if (!(error instanceof HttpError && OF_THE_BODY.includes(error.code))) throw thrown;
    return sendError(error, request, { reply, contextOf, bodyOf: () => bodyOf(error) });
  });
}

/** Nobody knows of which message it is. */
function bodyOf({ message, code, cause }: HttpError): string {
  const isUnread = cause instanceof Error; // What is no JSON, or says that it is none.
  return JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: isUnread ? PARSE_ERROR : INVALID_REQUEST, message, data: { code } },
  });
}
