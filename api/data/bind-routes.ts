/** How the data routes and the account are served to whoever has a key, or to everybody where nobody is asked for one. */
import type { FastifyInstance } from 'fastify';
import { type BoundRoute, bindRoute, type SendWhole } from '../server/bind-route.ts';
import { acceptsGzip } from '../server/response-cache.ts';
import type { BaseUrlOf } from '../server/urls.ts';
import { ALL_RIGHTS } from './access/rights.ts';
import type { Answers, Asker, DataRequest } from './answers/answers.ts';
import type { DataRoute } from './answers/data-route.ts';
import { getVisit } from './bind-access.ts';
import { ACCOUNT_ROUTE, answerAccount } from './routes/data-routes.ts';

export interface DataRouteBinding {
  readonly answers: Answers;
  /** Whether a request needs a visit; otherwise everything is open to all. */
  readonly isGuarded: boolean;
  readonly baseUrlOf: BaseUrlOf;
  readonly sendWhole: SendWhole;
}

/** Adds a data route to the app. */
export function bindDataRoute(app: FastifyInstance, route: DataRoute, binding: DataRouteBinding): void {
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
    return answers.answer(route, asked, isGuarded ? getVisit(request) : ANYBODY);
  };
  bindRoute(app, { path, config: { access }, respond }, sendWhole);
}

/** Adds `GET /v1/account`, for an app that asks for keys. */
export function bindAccountRoute(app: FastifyInstance, sendWhole: SendWhole): void {
  const { name: path } = ACCOUNT_ROUTE;
  const config = { access: ACCOUNT_ROUTE };
  bindRoute(app, { path, config, respond: (request) => answerAccount(getVisit(request)) }, sendWhole);
}

const ANYBODY: Asker = { rights: ALL_RIGHTS };
