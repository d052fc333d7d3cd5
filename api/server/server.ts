/**
 * The HTTP server around all routes.
 * A request passes, in this order: id, checks of Host and body length, guard (authentication and limits), URL encoding,
 * method, id lengths, route. Every error gets the error envelope, even before routing and for what isn't HTTP.
 */
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Awaitable } from '../../runtime/awaitable.ts';
import { type SendWhole, wholeResponseSender } from './bind-route.ts';
import { assertLength, BODY_SETTINGS, ignoreBodies } from './bodies.ts';
import { createHttpServer } from './connections.ts';
import { addErrorHandling, type ContextOf, sendError } from './errors/error-handling.ts';
import type { ErrorTable, HttpError } from './errors/http-error.ts';
import { RawResponses } from './errors/raw-responses.ts';
import { addHealth, addMetrics, type Metrics, type MetricsAccess, type Readiness } from './metrics.ts';
import { addErrorPages, MissingPages, type ShowErrorPage } from './pages/error-pages.ts';
import { addIcon } from './pages/styles.ts';
import { addCompression, securityHeaders, WITHOUT_SCHEMAS } from './plugins.ts';
import { type Admit, addRequestChecks, assertHead, collectMethods, type HeadLimits } from './request-checks.ts';
import {
  type Abort,
  logAbort,
  logRawResponse,
  logResponse,
  type ResponseLogOptions,
  requestIds,
  watchEnd,
} from './request-log.ts';
import type { ResponseHeaders } from './response-headers.ts';
import type { ConnectionSettings } from './settings.ts';
import { type BaseUrlOf, baseUrlFrom, urlShower } from './urls.ts';

export interface ServerSettings extends ConnectionSettings {
  /** For example `/stats`, without a trailing slash; empty for none. */
  readonly basePath: string;
  /** Public `scheme://host`; undefined: as each request names it. */
  readonly publicUrl: string | undefined;
  /** Addresses or networks of proxies whose X-Forwarded-* headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Smaller responses are not compressed. */
  readonly compressFromBytes: number;
  readonly metricsAccess: MetricsAccess;
}

export interface ServerDeps {
  readonly logger: FastifyBaseLogger | undefined;
  readonly metrics: Metrics;
  /** For `/health/ready`. */
  readonly readiness: () => Readiness;
  /** Aborted when the service is stopping: connections then close after their next response. */
  readonly stopping?: AbortSignal | undefined;
  /** All error codes of the service. */
  readonly errors: ErrorTable;
  /** Default: plain pages. */
  readonly showErrorPage?: ShowErrorPage | undefined;
  /** Prefix of API keys, in lower case; see `loggedUrl`. */
  readonly keyPrefix: string;
  readonly onResponse?: ResponseLogOptions['onResponse'];
  /** Creates the guard of all routes. */
  readonly guard?: ((app: FastifyInstance) => Promise<RequestGuard>) | undefined;
  /** Adds the routes below the base path; `baseUrlOf` is for links, `sendWhole` for cached responses. */
  readonly routes: (app: FastifyInstance, deps: RouteDeps) => Promise<void>;
}

export interface RouteDeps {
  /** The server without the base path, for paths at the root of a host. */
  readonly root: FastifyInstance;
  readonly baseUrlOf: BaseUrlOf;
  readonly sendWhole: SendWhole;
  /** HTML pages for 404; default: the error envelope. */
  readonly missing: Pick<MissingPages, 'add'>;
}

/** Authentication and limits. */
export interface RequestGuard {
  /** Called after the checks of the head; throws or rejects with the refusal. */
  readonly admit: Admit;
  /** Headers about the caller, for this status. Called again if the response fails. Never rejects. */
  readonly headersOf: (request: FastifyRequest, status: number) => Awaitable<ResponseHeaders>;
  /** Called once per request at its end. */
  readonly onEnd: (request: FastifyRequest, abort: Abort | undefined) => void;
  /**
   * For a request whose path can't be parsed, which no hook sees: headers, and a refusal that takes precedence. Rejects
   * if authentication fails.
   */
  readonly admitUnrouted: (request: FastifyRequest) => Promise<{
    readonly headers: Readonly<Record<string, string>>;
    readonly refusal: HttpError | undefined;
  }>;
}

/** Creates a server with `/health/…`, `/metrics`, error pages and the given routes. The caller must listen. */
export async function createServer(settings: ServerSettings, deps: ServerDeps): Promise<FastifyInstance> {
  const { basePath, headersMax } = settings;
  const { errors, logger, metrics, keyPrefix, onResponse } = deps;
  const baseUrlOf = baseUrlFrom(settings);
  const contextOf: ContextOf = (request) => ({ requestId: request.id, baseUrl: baseUrlOf(request), errors });
  const headers = await securityHeaders();
  const newRequestId = requestIds();
  const raw = new RawResponses({
    baseUrl: (settings.publicUrl ?? '') + basePath,
    newRequestId,
    errors,
    headers,
    onResponse: (response) => logRawResponse(response, logger, responseLog),
  });
  const responseLog = { metrics, showUrl: urlShower(keyPrefix), onResponse };
  let guard: RequestGuard | undefined;
  const app = createInstance(settings, {
    logger,
    raw,
    newRequestId,
    refuse: async (error, request, reply) => {
      reply.headers(headers);
      await refuseUnrouted(error, request, { reply, contextOf, guard, headersMax });
      logResponse(request, reply, responseLog);
    },
  });
  const missing = new MissingPages();
  addErrorHandling(app, { contextOf, findMissing: (thrown, request) => missing.find(thrown, request) });
  ignoreBodies(app);
  const refuseOthers = collectMethods(app);
  guard = await deps.guard?.(app);
  app.addHook('onRequest', (request, reply, done) => {
    // A request sent just as its connection closes would get no response.
    if (deps.stopping?.aborted) reply.raw.shouldKeepAlive = false;
    watchEnd(request, reply, (abort) => {
      if (abort === undefined) logResponse(request, reply, responseLog);
      else if (!raw.hasReplaced(reply.raw)) logAbort(request, reply, { ...responseLog, abort });
      guard?.onEnd(request, abort);
    });
    done();
  });
  addRequestChecks(app, { headersMax, admit: guard?.admit });
  addHeaders(app, { headers, headersOf: guard?.headersOf });
  addMetrics(app, metrics, { ...settings.metricsAccess, basePath });
  await addCompression(app, settings);
  const sendWhole = wholeResponseSender({ ...settings, headers, headersOf: guard?.headersOf });
  await app.register(
    // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for a plugin that is async.
    async (scope) => {
      addHealth(scope, deps.readiness);
      // Browsers request it at the root of the host.
      addIcon(basePath === '' ? [app] : [app, scope]);
      addErrorPages(scope, errors, deps.showErrorPage);
      await deps.routes(scope, { root: app, baseUrlOf, sendWhole, missing });
    },
    { prefix: basePath },
  );
  refuseOthers(app);
  return app;
}

/** Adds to Fastify's responses the headers that {@link wholeResponseSender} adds to others. */
function addHeaders(
  app: FastifyInstance,
  {
    headers,
    headersOf,
  }: { readonly headers: ResponseHeaders; readonly headersOf: RequestGuard['headersOf'] | undefined },
): void {
  app.addHook('onSend', (request, reply, _, done) => {
    for (const [name, value] of Object.entries(headers)) {
      if (!reply.hasHeader(name)) reply.header(name, value);
      else if (reply.getHeader(name) === '') reply.removeHeader(name);
    }
    reply.header('X-Request-ID', request.id);
    const own = headersOf?.(request, reply.statusCode);
    if (own instanceof Promise) return own.then((there) => void reply.headers(there));
    if (own !== undefined) reply.headers(own);
    done();
  });
}

/** Responds to paths that can't be parsed, which Fastify refuses before any hook. Rate-limit headers are included. */
async function refuseUnrouted(
  error: unknown,
  request: FastifyRequest,
  deps: HeadLimits & {
    readonly reply: FastifyReply;
    readonly contextOf: ContextOf;
    readonly guard: RequestGuard | undefined;
  },
): Promise<void> {
  try {
    assertHead(request, deps);
    assertLength(request);
    const { headers = {}, refusal } = (await deps.guard?.admitUnrouted(request)) ?? {};
    deps.reply.headers(headers);
    sendError(refusal ?? error, request, deps);
  } catch (refusal) {
    sendError(refusal, request, deps);
  }
}

interface InstanceDeps extends Pick<ServerDeps, 'logger'> {
  readonly raw: RawResponses;
  readonly newRequestId: () => string;
  readonly refuse: (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

function createInstance(settings: ServerSettings, deps: InstanceDeps): FastifyInstance {
  const { logger, raw, newRequestId, refuse } = deps;
  const app = fastify({
    ...(logger === undefined ? {} : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    requestIdHeader: false,
    // Refused before routing, such as a badly encoded URL.
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
    exposeHeadRoutes: false,
    ...BODY_SETTINGS,
    ...WITHOUT_SCHEMAS,
    trustProxy: settings.trustedProxies.length === 0 ? false : [...settings.trustedProxies],
    serverFactory: (handler) => createHttpServer(handler, settings),
    // Requests on open connections are still handled while closing; the 503 of Fastify has no envelope.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Longer than any head; `assertSegments` checks it after authentication.
    routerOptions: { maxParamLength: 1 << 20 },
    clientErrorHandler: (error, socket) => raw.onClientError(error, socket),
  });
  raw.listenTo(app.server);
  return app;
}
