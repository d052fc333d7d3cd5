import compress from '@fastify/compress';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import type { AnswerCache } from './answer-cache.ts';
import { etagWithEncoding } from './conditional.ts';
import { addDataRoute, type DataRouteDeps, type SignUrl } from './data-route.ts';
import type { FileLinks } from './file-links.ts';
import { addMetrics, type Metrics } from './metrics.ts';
import { describeRoute } from './openapi/describe-route.ts';
import { addOpenApi } from './openapi/openapi.ts';
import { clientErrorHandler } from './plugins/client-errors.ts';
import { addErrorHandling, type ContextOf, sendError } from './plugins/errors.ts';
import { refuseOtherMethods } from './plugins/methods.ts';
import { addSecurityHeaders } from './plugins/security-headers.ts';
import { requestIds } from './request-ids.ts';
import { ALL_RIGHTS } from './rights.ts';
import { addErrorPages } from './routes/error-pages.ts';
import { addFiles } from './routes/files.ts';
import { addHealth, type HealthSource } from './routes/health.ts';
import { DATA_ROUTES } from './routes.ts';

export interface ApiSettings {
  /** Before every route, such as `/stats`; empty for none. No slash at the end. */
  readonly basePath: string;
  /** `scheme://host` that callers use; undefined: as each request names it. */
  readonly publicUrl: string | undefined;
  /** Addresses or networks of proxies whose X-Forwarded-* headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Longest wait for a request's head and body. */
  readonly requestTimeoutMs: number;
  /** Longest wait of an open connection for its next request. */
  readonly keepAliveTimeoutMs: number;
  /** Answers smaller than this are sent as they are. */
  readonly compressFromBytes: number;
  /** Whoever sends it as bearer may read /metrics; undefined: only callers on this machine. */
  readonly metricsToken: string | undefined;
}

export interface ApiDeps {
  readonly settings: ApiSettings;
  readonly views: DataRouteDeps['views'] & HealthSource;
  readonly cache: AnswerCache;
  readonly clock: () => Date;
  readonly signUrl: SignUrl;
  /** Where the objects of a file store lie, to be served under signed addresses; undefined for other stores. */
  readonly files: { readonly folder: string; readonly links: FileLinks } | undefined;
  readonly logger: FastifyBaseLogger | undefined;
  readonly metrics: Metrics;
}

/**
 * The HTTP service over what was published (DESIGN §7). It never listens: whoever builds it does, and closes it.
 */
export async function buildApp(deps: ApiDeps): Promise<FastifyInstance> {
  const { settings } = deps;
  const baseUrlOf = baseUrlFrom(settings);
  const contextOf: ContextOf = (request) => ({ requestId: request.id, baseUrl: baseUrlOf(request) });
  const app = createServer(deps, contextOf);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-ID', request.id);
    done();
  });
  addErrorHandling(app, contextOf);
  addMetrics(app, deps.metrics, { token: settings.metricsToken, basePath: settings.basePath });
  await addSecurityHeaders(app);
  await addCompression(app, settings);
  await app.register(
    // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for a plugin that is async.
    async (scope) => {
      await addOpenApi(scope);
      if (deps.files !== undefined) await addFiles(scope, deps.files);
      refuseOtherMethods(scope);
      addHealth(scope, deps.views);
      addErrorPages(scope);
      addDataRoutes(scope, deps, baseUrlOf);
    },
    { prefix: settings.basePath },
  );
  return app;
}

function createServer({ settings, logger }: ApiDeps, contextOf: ContextOf): FastifyInstance {
  const newRequestId = requestIds();
  return fastify({
    ...(logger === undefined ? {} : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    requestIdHeader: false,
    // What is refused before there is a route, such as a URL that isn't properly encoded.
    frameworkErrors: (error, request, reply) => void sendError(error, request, { reply, contextOf }),
    exposeHeadRoutes: false,
    trustProxy: settings.trustedProxies.length === 0 ? false : [...settings.trustedProxies],
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    bodyLimit: BODY_BYTES_MAX,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    clientErrorHandler: clientErrorHandler((settings.publicUrl ?? '') + settings.basePath, newRequestId),
  });
}

/** Nothing here takes a body; what comes all the same is read to this size and thrown away. */
const BODY_BYTES_MAX = 64 * 1024;

/** An id of 200 characters, each of which may take four bytes of UTF-8 and so twelve characters of a URL. */
const PARAM_LENGTH_MAX = 2400;

/** `scheme://host/prefix` as callers see it. */
function baseUrlFrom({ publicUrl, basePath }: ApiSettings): (request: FastifyRequest) => string {
  return (request) => (publicUrl ?? `${request.protocol}://${request.host}`) + basePath;
}

/** Compresses what callers ask to have compressed, off the event loop; a strong tag then says so. */
async function addCompression(app: FastifyInstance, { compressFromBytes }: ApiSettings): Promise<void> {
  await app.register(compress, { threshold: compressFromBytes, encodings: ['gzip', 'br'], globalDecompression: false });
  app.addHook('onRoute', (route) => {
    const before = route.onSend === undefined ? [] : [route.onSend].flat();
    route.onSend = [
      ...before,
      (_request, reply, payload, done) => {
        const encoding = reply.getHeader('content-encoding');
        const etag = reply.getHeader('etag');
        if (typeof encoding === 'string' && typeof etag === 'string')
          reply.header('ETag', etagWithEncoding(etag, encoding));
        done(null, payload);
      },
    ];
  });
}

function addDataRoutes(app: FastifyInstance, deps: ApiDeps, baseUrlOf: DataRouteDeps['baseUrlOf']): void {
  const routeDeps: DataRouteDeps = {
    views: deps.views,
    clock: deps.clock,
    cache: deps.cache,
    rightsOf: () => ALL_RIGHTS,
    baseUrlOf,
    signUrl: deps.signUrl,
    takeUnit: async () => {},
  };
  for (const route of DATA_ROUTES) addDataRoute(app, route, { deps: routeDeps, schema: describeRoute(route) });
}
