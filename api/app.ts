import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { ulid } from 'ulid';
import type { Accounts } from '../accounts/accounts.ts';
import { API_ERRORS } from '../schemas/api-errors.ts';
import { AccessControl, type RouteAccess } from './access/access-control.ts';
import type { CapabilityStates } from './access/capabilities.ts';
import { limitFailedAttempts } from './access/failed-attempts.ts';
import { isPathBelow, longestSegment } from './access/path-below.ts';
import { refuseUnrouted } from './access/unrouted.ts';
import type { AnswerCache } from './answer-cache.ts';
import { ApiError } from './api-error.ts';
import { etagWithEncoding } from './conditional.ts';
import { addDataRoute, type DataRouteDeps, type SignUrl } from './data-route.ts';
import type { FileLinks } from './file-links.ts';
import { addMetrics, type Metrics } from './metrics.ts';
import { describeRoute } from './openapi/describe-route.ts';
import { addOpenApi } from './openapi/openapi.ts';
import { clientErrorHandler } from './plugins/client-errors.ts';
import { addErrorHandling, type ContextOf } from './plugins/errors.ts';
import { refuseOtherMethods } from './plugins/methods.ts';
import { ALL_RIGHTS } from './rights.ts';
import { addAccount } from './routes/account.ts';
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
  /** Attempts without a valid key per minute and client address. */
  readonly failedAttemptsMax: number;
  readonly capabilities: CapabilityStates;
  /** Whoever sends it as bearer may read /metrics; undefined: only callers on this machine. */
  readonly metricsToken: string | undefined;
}

export interface ApiDeps {
  readonly settings: ApiSettings;
  /** Whose keys are asked for; undefined: nobody's, and everything is open to all. */
  readonly accounts: Accounts | undefined;
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
  const gate: Gate = { access: undefined };
  const app = createServer(deps, contextOf, gate);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-ID', request.id);
  });
  addErrorHandling(app, contextOf);
  addMetrics(app, deps.metrics, { token: settings.metricsToken, basePath: settings.basePath });
  await app.register(helmet, { contentSecurityPolicy: false, crossOriginResourcePolicy: { policy: 'same-site' } });
  const access = await addAccessControl(app, deps);
  gate.access = access;
  app.addHook('onRequest', async ({ url }) => {
    if (url.length > SEGMENT_LENGTH_MAX && longestSegment(url) > SEGMENT_LENGTH_MAX)
      throw new ApiError('uri_too_long', API_ERRORS.uri_too_long.title);
  });
  await addCompression(app, settings);
  await app.register(
    // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for a plugin that is async.
    async (scope) => {
      await addOpenApi(scope);
      if (deps.files !== undefined) await addFiles(scope, deps.files);
      refuseOtherMethods(scope);
      addHealth(scope, deps.views);
      addErrorPages(scope);
      if (access !== undefined) addAccount(scope, access);
      addDataRoutes(scope, deps, { baseUrlOf, access });
    },
    { prefix: settings.basePath },
  );
  return app;
}

/** Who stands in front of /v1; known only once the server is there. */
interface Gate {
  access: AccessControl | undefined;
}

function createServer({ settings, logger }: ApiDeps, contextOf: ContextOf, gate: Gate): FastifyInstance {
  const prefix = `${settings.basePath}/v1`;
  return fastify({
    ...(logger === undefined ? {} : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => ulid(),
    requestIdHeader: false,
    // What is refused before there is a route, such as a URL that isn't properly encoded.
    frameworkErrors: (error, request, reply) =>
      void refuseUnrouted({ error, request, reply }, { contextOf, prefix, access: gate.access }),
    exposeHeadRoutes: false,
    trustProxy: settings.trustedProxies.length === 0 ? false : [...settings.trustedProxies],
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    bodyLimit: BODY_BYTES_MAX,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    // Longer than any head of a request: a hook tells, after the key was asked for.
    routerOptions: { maxParamLength: 1 << 20 },
    clientErrorHandler: clientErrorHandler((settings.publicUrl ?? '') + settings.basePath, ulid),
  });
}

/** Nothing here takes a body; what comes all the same is read to this size and thrown away. */
const BODY_BYTES_MAX = 64 * 1024;

/** An id of 200 characters, each of which may take four bytes of UTF-8 and so twelve characters of a URL. */
const SEGMENT_LENGTH_MAX = 2400;

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
      async (_request, reply, payload) => {
        const encoding = reply.getHeader('content-encoding');
        const etag = reply.getHeader('etag');
        if (typeof encoding === 'string' && typeof etag === 'string')
          reply.header('ETag', etagWithEncoding(etag, encoding));
        return payload;
      },
    ];
  });
}

function addDataRoutes(
  app: FastifyInstance,
  deps: ApiDeps,
  { baseUrlOf, access }: Pick<DataRouteDeps, 'baseUrlOf'> & { readonly access: AccessControl | undefined },
): void {
  const routeDeps: DataRouteDeps = {
    views: deps.views,
    clock: deps.clock,
    cache: deps.cache,
    rightsOf: (request) => access?.rightsOf(request) ?? ALL_RIGHTS,
    baseUrlOf,
    signUrl: deps.signUrl,
    takeUnit: async (request) => access?.takeUnit(request),
  };
  for (const route of DATA_ROUTES) addDataRoute(app, route, { deps: routeDeps, schema: describeRoute(route) });
}

/** Stands in front of everything below `/v1`, of what doesn't exist there too. */
async function addAccessControl(app: FastifyInstance, deps: ApiDeps): Promise<AccessControl | undefined> {
  const { accounts, clock, settings } = deps;
  if (accounts === undefined) return undefined;
  const countFailure = await limitFailedAttempts(app, { max: settings.failedAttemptsMax, addressesMax: ADDRESSES_MAX });
  const access = new AccessControl({ accounts, clock, countFailure, capabilities: settings.capabilities });
  const prefix = `${settings.basePath}/v1`;
  app.addHook('onRequest', async (request) => {
    const { access: asked } = request.routeOptions.config;
    if (asked !== undefined) await access.admit(request, asked);
    else if (request.is404 && isPathBelow(prefix, request.url)) await access.admit(request, undefined);
  });
  app.addHook('onSend', async (request, reply) => {
    await access.settle(request, reply);
  });
  app.addHook('onResponse', async (request) => access.finish(request));
  return access;
}

/** Client addresses whose failed attempts are remembered. Smaller: an attacker with many addresses is forgotten sooner. */
const ADDRESSES_MAX = 20_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a route below `/v1` asks of its callers; every such route has it. */
    access?: RouteAccess;
  }
}
