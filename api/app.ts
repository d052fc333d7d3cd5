import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Accounts } from '../accounts/accounts.ts';
import type { RecordVersion } from '../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../schemas/versions.ts';
import type { AccessControl } from './access/access-control.ts';
import { addAccessControl } from './access/add-access-control.ts';
import type { CapabilityStates } from './access/capabilities.ts';
import type { AnswerCache } from './answer-cache.ts';
import { baseUrlFrom } from './base-url.ts';
import type { SignUrl } from './data-route.ts';
import type { FileLinks } from './file-links.ts';
import { addMetrics, type Metrics } from './metrics.ts';
import { addOpenApi } from './openapi/openapi.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { addRawAnswers, clientErrorHandler, type RawAnswerDeps } from './plugins/client-errors.ts';
import { addCompression } from './plugins/compression.ts';
import { addErrorHandling, type ContextOf, sendError } from './plugins/errors.ts';
import { refuseLongSegments } from './plugins/long-segments.ts';
import { refuseOtherMethods } from './plugins/methods.ts';
import { addRequestChecks } from './plugins/request-checks.ts';
import { addSecurityHeaders } from './plugins/security-headers.ts';
import { requestIds } from './request-ids.ts';
import { ALL_RIGHTS } from './rights.ts';
import { addAccount } from './routes/account.ts';
import { addErrorPages } from './routes/error-pages.ts';
import { addFiles } from './routes/files.ts';
import { addHealth, type HealthSource } from './routes/health.ts';
import { DATA_ROUTES } from './routes.ts';
import { addDataRoute, type DataRouteDeps } from './serve-data-route.ts';

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
  /** Default: those that this program knows. */
  readonly versions?: readonly RecordVersion[] | undefined;
}

/**
 * The HTTP service over what was published (DESIGN §7). It never listens: whoever builds it does, and closes it.
 */
export async function buildApp(deps: ApiDeps): Promise<FastifyInstance> {
  const { settings } = deps;
  const { basePath } = settings;
  const baseUrlOf = baseUrlFrom(settings);
  const contextOf: ContextOf = (request) => ({ requestId: request.id, baseUrl: baseUrlOf(request) });
  const app = createServer(deps, contextOf);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-ID', request.id);
    done();
  });
  addErrorHandling(app, contextOf);
  addRequestChecks(app, { bodyBytesMax: BODY_BYTES_MAX });
  addMetrics(app, deps.metrics, { token: settings.metricsToken, basePath });
  await addSecurityHeaders(app);
  const access = await guard(app, deps);
  refuseLongSegments(app);
  await addCompression(app, settings);
  await app.register(
    // biome-ignore lint/nursery/noMisusedPromises: Fastify waits for a plugin that is async.
    async (scope) => {
      refuseOtherMethods(scope);
      await addOpenApi(scope, {
        document: openApiDocument(DATA_ROUTES, {
          serverUrl: (settings.publicUrl ?? '') + basePath,
          hasLimits: access !== undefined,
        }),
        basePath,
      });
      if (deps.files !== undefined) await addFiles(scope, deps.files);
      addHealth(scope, deps.views);
      addErrorPages(scope);
      if (access !== undefined) addAccount(scope, access);
      addDataRoutes(scope, deps, { baseUrlOf, access });
    },
    { prefix: basePath },
  );
  return app;
}

function createServer({ settings, logger }: ApiDeps, contextOf: ContextOf): FastifyInstance {
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
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    // A request on a connection that is still open while the service closes is answered; Fastify's own 503 has no envelope.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Longer than any head of a request: `refuseLongSegments` tells, after the key was asked for.
    routerOptions: { maxParamLength: 1 << 20 },
    // Node would answer a missing Host itself, without a body; and look for slow requests only every 30 seconds.
    http: { requireHostHeader: false, connectionsCheckingInterval: Math.min(settings.requestTimeoutMs, 5000) },
    clientErrorHandler: clientErrorHandler(raw),
  });
  addRawAnswers(app.server, raw);
  return app;
}

/** Nothing here takes a body; what comes all the same is thrown away, but not more than this. */
const BODY_BYTES_MAX = 64 * 1024;

function addDataRoutes(
  app: FastifyInstance,
  deps: ApiDeps,
  { baseUrlOf, access }: Pick<DataRouteDeps, 'baseUrlOf'> & { readonly access: AccessControl | undefined },
): void {
  const routeDeps: DataRouteDeps = {
    views: deps.views,
    versions: deps.versions ?? RECORD_VERSIONS,
    clock: deps.clock,
    cache: deps.cache,
    rightsOf: (request) => access?.rightsOf(request) ?? ALL_RIGHTS,
    baseUrlOf,
    signUrl: deps.signUrl,
    takeUnit: async (request) => access?.takeUnit(request),
  };
  for (const route of DATA_ROUTES) addDataRoute(app, route, routeDeps);
}

/** Asks for keys, where there are accounts to ask. */
async function guard(app: FastifyInstance, { accounts, clock, settings }: ApiDeps): Promise<AccessControl | undefined> {
  return accounts === undefined ? undefined : addAccessControl(app, { accounts, clock, ...settings });
}
