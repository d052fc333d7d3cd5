/**
 * The shell of an HTTP service: what every answer has and every request is checked for, whatever the routes behind it are.
 *
 * A request passes, in this order: an id of its own, the checks of Host, encoding and body, the guard (who asks, and may they),
 * the length of ids, the route. Whatever goes wrong on the way is answered with the error envelope, also where it happens
 * before there is a route, and what isn't HTTP at all.
 */
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { addAnswerLog } from './answer-log.ts';
import { baseUrlFrom } from './base-url.ts';
import { addCompression } from './compression.ts';
import { type ConnectionSettings, createHttpServer } from './connections/http-server.ts';
import { addRawAnswers, clientErrorHandler, type RawAnswerDeps } from './errors/client-errors.ts';
import { addErrorHandling, type ContextOf, sendError } from './errors/error-handling.ts';
import { addErrorPages } from './errors/error-pages.ts';
import { addHealth, type FindProblem, type HealthSource } from './health.ts';
import { refuseOtherMethods } from './methods.ts';
import { addMetrics, type Metrics, type MetricsAccess } from './metrics.ts';
import { addRequestChecks, refuseLongSegments } from './request-checks.ts';
import { addRequestIds, requestIds } from './request-ids.ts';
import { addSecurityHeaders } from './security-headers.ts';

export interface ServerSettings extends ConnectionSettings {
  /** Before every route, such as `/stats`; empty for none. No slash at the end. */
  readonly basePath: string;
  /** `scheme://host` that callers use; undefined: as each request names it. */
  readonly publicUrl: string | undefined;
  /** Addresses or networks of proxies whose X-Forwarded-* headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Header fields of a request. */
  readonly headersMax: number;
  /** Answers smaller than this are sent as they are. */
  readonly compressFromBytes: number;
  /** Who may read `/metrics` here. */
  readonly metricsAccess: MetricsAccess;
}

export interface ServerDeps {
  readonly logger: FastifyBaseLogger | undefined;
  readonly metrics: Metrics;
  readonly health: HealthSource;
  /** How the other parts of the service are; default: well. */
  readonly findProblem?: FindProblem | undefined;
  /** Adds hooks in front of every route, which see a request once it is known to be proper. */
  readonly guard?: ((app: FastifyInstance) => Promise<void>) | undefined;
  /** Adds the routes, below the base path. */
  readonly routes: (app: FastifyInstance) => Promise<void>;
}

/** Makes a server with `/health/…`, `/metrics`, the pages of error codes and the given routes. It never listens. */
export async function createServer(settings: ServerSettings, deps: ServerDeps): Promise<FastifyInstance> {
  const { basePath } = settings;
  const baseUrlOf = baseUrlFrom(settings);
  const contextOf: ContextOf = (request) => ({ requestId: request.id, baseUrl: baseUrlOf(request) });
  const app = createInstance(settings, { logger: deps.logger, contextOf });
  addRequestIds(app);
  addErrorHandling(app, contextOf);
  addRequestChecks(app, { bodyBytesMax: BODY_BYTES_MAX, headersMax: settings.headersMax });
  addAnswerLog(app, deps.metrics);
  addMetrics(app, deps.metrics, { ...settings.metricsAccess, basePath });
  await addSecurityHeaders(app);
  await deps.guard?.(app);
  refuseLongSegments(app);
  await addCompression(app, settings);
  await app.register(
    // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for a plugin that is async.
    async (scope) => {
      refuseOtherMethods(scope);
      addHealth(scope, deps.health, deps.findProblem);
      addErrorPages(scope);
      await deps.routes(scope);
    },
    { prefix: basePath },
  );
  return app;
}

/** Nothing here takes a body; what comes all the same is thrown away, but not more than this. */
const BODY_BYTES_MAX = 64 * 1024;

function createInstance(
  settings: ServerSettings,
  { logger, contextOf }: Pick<ServerDeps, 'logger'> & { readonly contextOf: ContextOf },
): FastifyInstance {
  const newRequestId = requestIds();
  const raw: RawAnswerDeps = { baseUrl: (settings.publicUrl ?? '') + settings.basePath, newRequestId };
  const app = fastify({
    ...(logger === undefined ? {} : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    requestIdHeader: false,
    // What is refused before there is a route, such as a URL that isn't properly encoded.
    frameworkErrors: (error, request, reply) => void sendError(error, request, { reply, contextOf }),
    exposeHeadRoutes: false,
    trustProxy: settings.trustedProxies.length === 0 ? false : [...settings.trustedProxies],
    serverFactory: (handler) => createHttpServer(handler, settings),
    // A request on a connection that is still open while the service closes is answered; Fastify's own 503 has no envelope.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Longer than any head of a request: `refuseLongSegments` tells, after the key was asked for.
    routerOptions: { maxParamLength: 1 << 20 },
    clientErrorHandler: clientErrorHandler(raw),
  });
  addRawAnswers(app.server, raw);
  return app;
}
