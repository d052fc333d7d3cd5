/**
 * The shell of an HTTP service: what every answer has and every request is checked for, whatever the routes behind it are.
 *
 * A request passes, in this order: an id of its own, the checks of Host, encoding and length of the body, the guard (who
 * asks, and may they), the method, the length of ids, the route. Whatever goes wrong on the way is answered with the error envelope, also where it happens
 * before there is a route, and what isn't HTTP at all.
 */
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { type AnswerLogOptions, addAnswerLog } from './answer-log.ts';
import { baseUrlFrom } from './base-url.ts';
import { BODY_SETTINGS, ignoreBodies } from './bodies.ts';
import { addCompression } from './compression.ts';
import { type ConnectionSettings, createHttpServer } from './connections/http-server.ts';
import { addRawAnswers, clientErrorHandler, type RawAnswerDeps } from './errors/client-errors.ts';
import { addErrorHandling, type ContextOf, sendError } from './errors/error-handling.ts';
import { addErrorPages } from './errors/error-pages.ts';
import type { ErrorTable } from './errors/http-error.ts';
import { addHealth, type Readiness } from './health.ts';
import { collectMethods, refuseOtherMethods } from './methods.ts';
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
  /** Whether the service can do its work; asked for `/health/ready`. */
  readonly readiness: () => Readiness;
  /** Every code that the service answers with, and what is said of it. */
  readonly errors: ErrorTable;
  /** How a key of callers begins, in lower case; see `loggedUrl`. */
  readonly keyPrefix: string;
  readonly onAnswer?: AnswerLogOptions['onAnswer'];
  /** Adds hooks in front of every route, which see a request once it is known to be proper. */
  readonly guard?: ((app: FastifyInstance) => Promise<void>) | undefined;
  /** Adds the routes, below the base path. */
  readonly routes: (app: FastifyInstance) => Promise<void>;
}

/** Makes a server with `/health/…`, `/metrics`, the pages of error codes and the given routes. It never listens. */
export async function createServer(settings: ServerSettings, deps: ServerDeps): Promise<FastifyInstance> {
  const { basePath } = settings;
  const { errors, metrics, keyPrefix, onAnswer } = deps;
  const baseUrlOf = baseUrlFrom(settings);
  const contextOf: ContextOf = (request) => ({ requestId: request.id, baseUrl: baseUrlOf(request), errors });
  const app = createInstance(settings, { logger: deps.logger, contextOf, errors });
  addRequestIds(app);
  addErrorHandling(app, contextOf);
  addRequestChecks(app, { headersMax: settings.headersMax });
  ignoreBodies(app);
  const refuseOthers = collectMethods(app);
  addAnswerLog(app, { metrics, keyPrefix, onAnswer });
  addMetrics(app, metrics, { ...settings.metricsAccess, basePath });
  await addSecurityHeaders(app);
  await deps.guard?.(app);
  refuseOtherMethods(app);
  refuseLongSegments(app);
  await addCompression(app, settings);
  await app.register(
    // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for a plugin that is async.
    async (scope) => {
      addHealth(scope, deps.readiness);
      addErrorPages(scope, errors);
      await deps.routes(scope);
    },
    { prefix: basePath },
  );
  refuseOthers(app);
  return app;
}

function createInstance(
  settings: ServerSettings,
  { logger, errors, contextOf }: Pick<ServerDeps, 'logger' | 'errors'> & { readonly contextOf: ContextOf },
): FastifyInstance {
  const newRequestId = requestIds();
  const raw: RawAnswerDeps = { baseUrl: (settings.publicUrl ?? '') + settings.basePath, newRequestId, errors };
  const app = fastify({
    ...(logger === undefined ? {} : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    requestIdHeader: false,
    // What is refused before there is a route, such as a URL that isn't properly encoded.
    frameworkErrors: (error, request, reply) => void sendError(error, request, { reply, contextOf }),
    exposeHeadRoutes: false,
    ...BODY_SETTINGS,
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
