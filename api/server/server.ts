/**
 * The shell of an HTTP service: what every answer has and every request is checked for, whatever the routes behind it are.
 *
 * A request passes, in this order: an id of its own, the checks of Host and length of the body, the guard (who asks, and
 * may they), the encoding of the URL, the method, the length of ids, the route. Whatever goes wrong on the way is answered with
 * the error envelope, also where it happens before there is a route, and what isn't HTTP at all.
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
import { addIcon } from './pages/look.ts';
import { addCompression, securityHeaders } from './plugins.ts';
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
  /** Before every route, such as `/stats`; empty for none. No slash at the end. */
  readonly basePath: string;
  /** `scheme://host` that callers use; undefined: as each request names it. */
  readonly publicUrl: string | undefined;
  /** Addresses or networks of proxies whose X-Forwarded-* headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Answers smaller than this are sent as they are. */
  readonly compressFromBytes: number;
  /** Who may read `/metrics` here. */
  readonly metricsAccess: MetricsAccess;
}

export interface ServerDeps {
  readonly logger: FastifyBaseLogger | undefined;
  readonly metrics: Metrics;
  /** Whether the service can do its work; asked for `/health/ready`. */
  readonly readiness: () => Readiness;
  /** Aborted when it is about to stop: from then on each answer is the last one of its connection. */
  readonly stopping?: AbortSignal | undefined;
  /** Every code that the service answers with, and what is said of it. */
  readonly errors: ErrorTable;
  /** How the pages of these look; default: plain. */
  readonly showErrorPage?: ShowErrorPage | undefined;
  /** How a key of callers begins, in lower case; see `loggedUrl`. */
  readonly keyPrefix: string;
  readonly onResponse?: ResponseLogOptions['onResponse'];
  /** Makes the guard in front of every route. */
  readonly guard?: ((app: FastifyInstance) => Promise<RequestGuard>) | undefined;
  /** Adds the routes, below the base path; `baseUrlOf` is for their links, `sendWhole` for answers that are kept. */
  readonly routes: (app: FastifyInstance, deps: RouteDeps) => Promise<void>;
}

export interface RouteDeps {
  /** The server without the base path, for what has its place at the root of a host. */
  readonly root: FastifyInstance;
  readonly baseUrlOf: BaseUrlOf;
  readonly sendWhole: SendWhole;
  /** What people see where there is nothing; else all are told by the error envelope. */
  readonly missing: Pick<MissingPages, 'add'>;
}

/** Who asks, and may they. */
export interface RequestGuard {
  /** Sees a request once its head is known to be proper; throws or rejects with what refuses it. */
  readonly admit: Admit;
  /** What an answer says about whoever asked, now that its status is known; an answer that fails is asked for again. Never rejects. */
  readonly headersOf: (request: FastifyRequest, status: number) => Awaitable<ResponseHeaders>;
  /** Told once that a request is over, and how where it was not answered to its end. */
  readonly onEnd: (request: FastifyRequest, abort: Abort | undefined) => void;
  /**
   * Of a request that is refused because its path can't be read, which no hook sees: the headers that its answer has, and what
   * refuses it rather. Rejects where who asks is unknown.
   */
  readonly admitUnrouted: (request: FastifyRequest) => Promise<{
    readonly headers: Readonly<Record<string, string>>;
    readonly refusal: HttpError | undefined;
  }>;
}

/** Makes a server with `/health/…`, `/metrics`, the pages of error codes and the given routes. It never listens. */
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
    // A request that is sent over a connection in the instant in which it is closed gets no answer.
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
      // Browsers ask for it at the root of the host.
      addIcon(basePath === '' ? [app] : [app, scope]);
      await addErrorPages(scope, errors, deps.showErrorPage);
      await deps.routes(scope, { root: app, baseUrlOf, sendWhole, missing });
    },
    { prefix: basePath },
  );
  refuseOthers(app);
  return app;
}

/** Puts on every answer that Fastify sends what {@link wholeResponseSender} puts on the others. */
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

/** Answers what Fastify refuses before any hook: a path that can't be read. Whoever asks with a key is told the limits there too. */
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
    // What is refused before there is a route, such as a URL that isn't properly encoded.
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
    exposeHeadRoutes: false,
    ...BODY_SETTINGS,
    trustProxy: settings.trustedProxies.length === 0 ? false : [...settings.trustedProxies],
    serverFactory: (handler) => createHttpServer(handler, settings),
    // A request on a connection that is still open while the service closes is answered; Fastify's own 503 has no envelope.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Longer than any head of a request: `assertSegments` tells, after the key was asked for.
    routerOptions: { maxParamLength: 1 << 20 },
    clientErrorHandler: (error, socket) => raw.onClientError(error, socket),
  });
  raw.listenTo(app.server);
  return app;
}
