import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { HealthProblem } from '../../runtime/health-problem.ts';
import type { OptionsFrom } from '../../runtime/setting.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { RECORD_VERSIONS } from '../../schemas/record-versions.ts';
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
import { addFiles, type FileLinks, PublishedFiles } from './files.ts';
import { type FindProblem, type HealthSource, problemsOf, readinessOf } from './health.ts';
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
  /** Whose keys are asked for; undefined: nobody's, and everything is open to all. */
  readonly accounts: Accounts | undefined;
  readonly views: ResponseDeps['views'] & HealthSource;
  readonly clock: () => Date;
  readonly signUrl: SignUrl;
  /** Where the objects of a file store lie, to be served under signed addresses; undefined for other stores. */
  readonly files: { readonly folder: string; readonly links: FileLinks } | undefined;
  readonly logger: FastifyBaseLogger | undefined;
  readonly metrics: ApiMetrics;
  /** Why the nights that this process runs are not published, for the public; default: they are, or it runs none. */
  readonly findScheduleProblem?: (() => HealthProblem | undefined) | undefined;
  /** Aborted when it is about to stop, and goes on answering for a moment; default: never. */
  readonly stopping?: AbortSignal | undefined;
  /** Default: those that this program knows. */
  readonly versions?: readonly RecordVersion[] | undefined;
  /** What else is served here, such as the console; default: nothing. */
  readonly surfaces?: readonly AddSurface[];
  /** How the pages of error codes look; default: plain. */
  readonly showErrorPage?: ShowErrorPage | undefined;
  /** What of that the OpenAPI document has, too; default: nothing. */
  readonly openRoutes?: readonly OpenRoute[];
}

/** What another face of the service stands on: the same answers, however they are brought. */
export interface SurfaceDeps extends RouteDeps {
  readonly answers: DataResponses;
  readonly views: ResponseDeps['views'];
  /** Undefined where nobody is asked for a key. */
  readonly access: AccessControl | undefined;
  /** Limits requests without a key; it limits none where nobody is asked for a key. */
  readonly limitAddress: LimitAddress;
}

/** Adds the routes of another face of the service, below the base path. */
export type AddSurface = (app: FastifyInstance, deps: SurfaceDeps) => Promise<void>;

/**
 * The HTTP service over what was published. It never listens: whoever builds it does, and closes it.
 */
export async function buildApp(deps: ApiDeps): Promise<FastifyInstance> {
  const { settings, accounts, views, clock, logger, metrics } = deps;
  const { basePath } = settings;
  const isGuarded = accounts !== undefined;
  const answers = new DataResponses({
    ...deps,
    versions: deps.versions ?? RECORD_VERSIONS,
  });
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
      // The document is for everybody, so what is not live for all is not in it.
      const isShown = (capability: Capability) => !isGuarded || isLive(settings.capabilities, capability, undefined);
      const hasLimits = isGuarded && isShown('plans');
      const shown = DATA_ROUTES.filter(({ capability }) => isShown(capability));
      const openRoutes = deps.openRoutes ?? [];
      const hasAccount = hasLimits && isShown('account');
      const document = openApiDocument(shown, { serverUrl, hasLimits, hasAccount, openRoutes });
      addOpenApi(app, { document, routes: [...shown, ...openRoutes], views });
      const published = new PublishedFiles(views);
      if (deps.files !== undefined) addFiles(app, { ...deps.files, clock, find: (key) => published.find(key) });
      app.decorateRequest('cacheResult', undefined);
      app.decorateRequest('failureHeaders', undefined);
      if (isGuarded) bindAccountRoute(app, sendWhole);
      const binding = { answers, isGuarded, baseUrlOf, sendWhole };
      for (const route of DATA_ROUTES) bindDataRoute(app, route, binding);
      const limitAddress = addressLimiter(accounts);
      const surfaceDeps = { answers, views, limitAddress, root, baseUrlOf, sendWhole, missing };
      for (const addSurface of deps.surfaces ?? []) await addSurface(app, { ...surfaceDeps, access });
    },
  });
}

/** How the parts beside the view are. Without the causes, which may name paths and hosts: those are for the log. */
function problemFinder({
  accounts,
  findScheduleProblem,
}: Pick<ApiDeps, 'accounts' | 'findScheduleProblem'>): FindProblem {
  return (part) => {
    switch (part) {
      case 'accounts':
        return told(accounts?.problem, 'keys and limits can not be checked: the control database does not do its work');
      case 'limits':
        return told(
          accounts?.countingProblem,
          'each process counts requests per minute alone: Redis does not do its work',
        );
      case 'schedule':
        return findScheduleProblem?.();
    }
  };
}

function told(problem: HealthProblem | undefined, message: string): HealthProblem | undefined {
  return problem && { ...problem, message };
}

/** How the data routes and the account are served to whoever has a key, or to everybody where nobody is asked for one. */
interface DataRouteBinding {
  readonly answers: DataResponses;
  /** Whether a request needs a visit; otherwise everything is open to all. */
  readonly isGuarded: boolean;
  readonly baseUrlOf: BaseUrlOf;
  readonly sendWhole: SendWhole;
}

/** Adds a data route to the app. */
function bindDataRoute(app: FastifyInstance, route: DataRoute, binding: DataRouteBinding): void {
  const { answers, isGuarded, baseUrlOf, sendWhole } = binding;
  const { path, access } = route;
  const respond: BoundRoute['respond'] = (request) => {
    const { params, query, headers, url: key } = request;
    const asked: DataRequest = {
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
    return answers.answer(route, asked, isGuarded ? getAdmission(request) : ANYBODY);
  };
  bindRoute(app, { path, config: { access }, respond }, sendWhole);
}

/** Adds `GET /v1/account`, for an app that asks for keys. */
function bindAccountRoute(app: FastifyInstance, sendWhole: SendWhole): void {
  const { name: path } = ACCOUNT_ROUTE;
  const config = { access: ACCOUNT_ROUTE };
  bindRoute(app, { path, config, respond: (request) => accountResponse(getAdmission(request)) }, sendWhole);
}

const ANYBODY: DataCaller = { rights: ALL_RIGHTS };
