/**
 * The data routes as MCP tools (specification "MCP"): one stateless URL for both eras of the protocol, so that any
 * replica can handle any message. The message is admitted like any request; each tool calls routes as part of it.
 */
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

/** Access rules of `POST /mcp`. The backstop is never below the organization's burst limit. */
export const MCP_ROUTE: RouteAccess = { name: '/mcp', capability: 'mcp', feature: null, limitPerMinute: 120 };

/** Longest message, in bytes. Tool calls take some hundred; the longest ids and cursors some thousand. */
const MESSAGE_BYTES_MAX = 64 * 1024;

export interface McpSettings {
  /** `scheme://host` that callers use; undefined: as each request names it. */
  readonly publicUrl: string | undefined;
  /** Of this program, for clients. */
  readonly version: string;
  /** Undefined: API keys are the only credentials. */
  readonly oauth: OAuthSettings | undefined;
}

/** Adds `POST /mcp`, below the base path; throws on messages if no key is needed. */
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
  if (access === undefined) throw new Error('MCP needs accounts: every message needs a caller');
  if (!isOwnOrigin(request.headers.origin, publicUrl)) {
    throw new ApiError('origin_not_allowed', 'Pages of other sites may not send messages here');
  }
  // Limits count messages: a batch would count as one.
  if (Array.isArray(request.body)) throw httpError('bad_request', 'Send one message per request, not a list');
  const baseUrl = baseUrlOf(request);
  const { id: requestId, log } = request;
  const exchange = new Exchange({ parent: getAdmission(request), access, responses: answers, baseUrl, requestId, log });
  watchEnd(request, reply, (abort) => exchange.end(abort));
  // Loaded with the first message: the protocol's package takes 9 MB.
  const { respondToMessage } = await import('./server.ts');
  const message = messageFrom(request, `${baseUrl}/mcp`);
  const response = await respondToMessage(message, { parsedBody: request.body, exchange, version });
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
    headers: Object.fromEntries(given.filter(([name]) => PROTOCOL_HEADERS.test(String(name)))),
  });
}

/** The headers that the protocol uses. */
const PROTOCOL_HEADERS = /^(?:accept|content-type|mcp-.*)$/;

/**
 * Requests without `Origin` come from no web page. Without a public URL only pages of this machine are allowed: an
 * attacker's name that resolves here would be in `Host` and `Origin` alike.
 */
export function isOwnOrigin(origin: string | undefined, publicUrl: string | undefined): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  if (publicUrl !== undefined) return new URL(origin).origin === new URL(publicUrl).origin;
  return isThisMachine(new URL(origin));
}

/** Codes of JSON-RPC 2.0 for a body that is no message. */
const [PARSE_ERROR, INVALID_REQUEST] = [-32_700, -32_600];

const BODY_ERRORS = ['bad_request', 'payload_too_large', 'unsupported_media_type'];

/** Refuses bodies that are no message in JSON-RPC's form; status and headers stay. */
function refuseAsJsonRpc(scope: FastifyInstance, baseUrlOf: SurfaceDeps['baseUrlOf']): void {
  const contextOf = (request: FastifyRequest) => ({
    requestId: request.id,
    baseUrl: baseUrlOf(request),
    errors: API_ERRORS,
  });
  scope.setErrorHandler((thrown: unknown, request, reply) => {
    const { error } = errorResponseFrom(thrown, contextOf(request));
    if (!(error instanceof HttpError && BODY_ERRORS.includes(error.code))) throw thrown;
    return sendError(error, request, { reply, contextOf, bodyOf: () => bodyOf(error) });
  });
}

/** `id` is null because the message is unknown. */
function bodyOf({ message, code, cause }: HttpError): string {
  const isUnread = cause instanceof Error; // Invalid or undeclared JSON.
  return JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: isUnread ? PARSE_ERROR : INVALID_REQUEST, message, data: { code } },
  });
}
