import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { HealthProblem } from '../../runtime/health-problem.ts';
import type { OptionsFrom } from '../../runtime/setting.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { addressLimiter, type LimitAddress } from '../accounts/address-limit.ts';
import type { Accounts } from '../accounts/open-accounts.ts';
import { API_KEYS } from '../accounts/organizations/token-form.ts';
import { type BoundRoute, bindRoute, cacheResultOf, type SendWhole } from '../server/bind-route.ts';
import type { ShowErrorPage } from '../server/pages/error-pages.ts';
import { acceptsGzip } from '../server/response-cache.ts';
import { createServer, type RouteDeps, type ServerSettings } from '../server/server.ts';
import type { BaseUrlOf } from '../server/urls.ts';
import type { AccessControl } from './access/access-control.ts';
import { ALL_RIGHTS, type Capability, type CapabilityStates, isLive } from './access/rights.ts';
import { API_ERRORS } from './api-errors.ts';
import type { ApiMetrics } from './api-metrics.ts';
import { bindAccess, getAdmission } from './bind-access.ts';
import { Exports } from './exports/exports.ts';
import { addFiles, type FileLinks, PublishedFiles } from './files.ts';
import { type FindProblem, type HealthSource, problemsOf, readinessOf } from './health.ts';
import { addJsonSchemas } from './json-schemas.ts';
import { addOpenApi, openApiDocument } from './openapi/openapi-document.ts';
import type { OpenRoute } from './openapi/other-operations.ts';
import { type DataCaller, type DataRequest, DataResponses, type ResponseDeps } from './responses/data-responses.ts';
import type { DataRoute, SignUrl } from './responses/data-route.ts';
import { ACCOUNT_ROUTE, accountResponse, DATA_ROUTES } from './routes/data-routes.ts';
import type { ATTEMPT_SETTINGS, BACKSTOP_SETTINGS, ResponseSettings } from './settings.ts';

export interface ApiSettings
  extends ServerSettings,
    ResponseSettings,
    OptionsFrom<typeof ATTEMPT_SETTINGS>,
    OptionsFrom<typeof BACKSTOP_SETTINGS> {
  readonly capabilities: CapabilityStates;
}

export interface ApiDeps {
  readonly settings: ApiSettings;
  /** Undefined: no key is needed, and everything is open to all. */
  readonly accounts: Accounts | undefined;
  readonly views: ResponseDeps['views'] & HealthSource;
  readonly clock: () => Date;
  readonly signUrl: SignUrl;
  /** Of the published data. */
  readonly store: Pick<ObjectStore, 'stream'>;
  /** A file store to serve by signed URL; undefined for other stores. */
  readonly files: { readonly folder: string; readonly links: FileLinks } | undefined;
  readonly logger: FastifyBaseLogger | undefined;
  readonly metrics: ApiMetrics;
  /** Why this process's nights don't publish, in public wording; default: no problem. */
  readonly findScheduleProblem?: (() => HealthProblem | undefined) | undefined;
  /** Aborted shortly before the server stops. Default: never. */
  readonly stopping?: AbortSignal | undefined;
  /** Default: {@link RECORD_VERSIONS}. */
  readonly versions?: readonly RecordVersion[] | undefined;
  /** Such as the console; default: none. */
  readonly surfaces?: readonly AddSurface[];
  /** Default: plain pages. */
  readonly showErrorPage?: ShowErrorPage | undefined;
  /** Routes of the surfaces that the OpenAPI document describes; default: none. */
  readonly openRoutes?: readonly OpenRoute[];
}

/** What other surfaces use of the API. */
export interface SurfaceDeps extends RouteDeps {
  readonly answers: DataResponses;
  readonly views: ResponseDeps['views'];
  readonly exports: Exports;
  /** Undefined where no key is needed. */
  readonly access: AccessControl | undefined;
  /** Limits requests without a key; nothing where no key is needed. */
  readonly limitAddress: LimitAddress;
}

export type AddSurface = (app: FastifyInstance, deps: SurfaceDeps) => Promise<void>;

/** The HTTP service over the published data. The caller listens and closes. */
export async function buildApp(deps: ApiDeps): Promise<FastifyInstance> {
  const { settings, accounts, views, clock, logger, metrics } = deps;
  const { basePath } = settings;
  const isGuarded = accounts !== undefined;
  const versions = deps.versions ?? RECORD_VERSIONS;
  const exports = new Exports(deps.store);
  const responses = new DataResponses({ ...deps, exports, versions });
  const findProblem = problemFinder(deps);
  metrics.watchProblems(() => problemsOf(views.problem, findProblem));
  let access: AccessControl | undefined;
  return createServer(settings, {
    logger,
    metrics,
    readiness: () => readinessOf(views, findProblem, { isStopping: deps.stopping?.aborted ?? false }),
    stopping: deps.stopping,
    errors: API_ERRORS,
    showErrorPage: deps.showErrorPage,
    keyPrefix: API_KEYS.prefix,
    onResponse: (request, reply) => {
      const cache = cacheResultOf(request, reply);
      if (cache !== undefined) metrics.onCache(cache);
      return cache;
    },
    guard: isGuarded
      ? async (app) => {
          const guard = await bindAccess(app, { ...settings, accounts, clock });
          access = guard.control;
          return guard;
        }
      : undefined,
    routes: async (app, { root, baseUrlOf, sendWhole, missing }) => {
      const serverUrl = (settings.publicUrl ?? '') + basePath;
      // Everybody can read the document, so it has only what is live for all.
      const isShown = (capability: Capability) => !isGuarded || isLive(settings.capabilities, capability, undefined);
      const hasLimits = isGuarded && isShown('plans');
      const shown = DATA_ROUTES.filter(({ capability }) => isShown(capability));
      const openRoutes = deps.openRoutes ?? [];
      const hasAccount = hasLimits && isShown('account');
      const document = () => openApiDocument(shown, { serverUrl, hasLimits, hasAccount, openRoutes });
      addOpenApi(app, { document, routes: [...shown, ...openRoutes], views });
      addJsonSchemas(app, { versions, views, serverUrl });
      const published = new PublishedFiles(views);
      if (deps.files !== undefined) addFiles(app, { ...deps.files, clock, find: (key) => published.find(key) });
      app.decorateRequest('cacheResult', undefined);
      app.decorateRequest('failureHeaders', undefined);
      if (isGuarded) bindAccountRoute(app, sendWhole);
      const binding = { responses, isGuarded, baseUrlOf, sendWhole };
      for (const route of DATA_ROUTES) bindDataRoute(app, route, binding);
      const limitAddress = addressLimiter(accounts);
      const surfaceDeps = { answers: responses, views, exports, limitAddress, root, baseUrlOf, sendWhole, missing };
      for (const addSurface of deps.surfaces ?? []) await addSurface(app, { ...surfaceDeps, access });
    },
  });
}

/** Problems in public wording, without causes: those may name paths and hosts. */
function problemFinder({
  accounts,
  findScheduleProblem,
}: Pick<ApiDeps, 'accounts' | 'findScheduleProblem'>): FindProblem {
  return (part) => {
    switch (part) {
      case 'accounts':
        return withMessage(accounts?.problem, 'keys and limits cannot be checked: the control database is not working');
      case 'limits':
        return withMessage(
          accounts?.countingProblem,
          'each process counts requests per minute on its own: Redis is not working',
        );
      case 'schedule':
        return findScheduleProblem?.();
    }
  };
}

function withMessage(problem: HealthProblem | undefined, message: string): HealthProblem | undefined {
  return problem && { ...problem, message };
}

interface DataRouteBinding {
  readonly responses: DataResponses;
  readonly isGuarded: boolean;
  readonly baseUrlOf: BaseUrlOf;
  readonly sendWhole: SendWhole;
}

function bindDataRoute(app: FastifyInstance, route: DataRoute, binding: DataRouteBinding): void {
  const { responses, isGuarded, baseUrlOf, sendWhole } = binding;
  const { path, access } = route;
  const respond: BoundRoute['respond'] = (request) => {
    const { params, query, headers, url: key } = request;
    const dataRequest: DataRequest = {
      params,
      query,
      headers,
      key,
      baseUrl: () => baseUrlOf(request),
      mayPack: acceptsGzip(headers['accept-encoding']),
      onRelease: ({ data_as_of: dataAsOf }) => {
        request.failureHeaders = { 'X-Data-As-Of': dataAsOf };
      },
    };
    return responses.respond(route, dataRequest, isGuarded ? getAdmission(request) : ANONYMOUS);
  };
  bindRoute(app, { path, config: { access }, respond }, sendWhole);
}

function bindAccountRoute(app: FastifyInstance, sendWhole: SendWhole): void {
  const { name: path } = ACCOUNT_ROUTE;
  const config = { access: ACCOUNT_ROUTE };
  bindRoute(app, { path, config, respond: (request) => accountResponse(getAdmission(request)) }, sendWhole);
}

const ANONYMOUS: DataCaller = { rights: ALL_RIGHTS };
