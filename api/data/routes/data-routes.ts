import type { RouteResponse } from '../../server/responder.ts';
import type { RouteAccess } from '../access/access-control.ts';
import type { Admission } from '../access/admission.ts';
import { JSON_TYPE } from '../responses/data-responses.ts';
import type { DataRoute } from '../responses/data-route.ts';
import { changesRoute } from './changes.ts';
import { costRoute } from './cost.ts';
import { exportRoutes } from './exports.ts';
import { lifecycleRoute } from './lifecycle.ts';
import { modelHistoryRoute } from './model-history.ts';
import { modelRoute, modelsRoute } from './models.ts';
import { pricingRoute } from './pricing.ts';
import { categoriesRoute, rankingsRoute } from './rankings.ts';
import { rankingsHistoryRoute } from './rankings-history.ts';
import { resolveRoute } from './resolve.ts';
import { benchmarksRoute, scoresRoute } from './scores.ts';
import { snapshotDownloadRoute, snapshotsRoute } from './snapshots.ts';
import { sourcesRoute } from './sources.ts';
import { updatesRoute } from './updates.ts';

export const ACCOUNT_ROUTE: RouteAccess = {
  name: '/v1/account',
  capability: 'account',
  feature: null,
  limitPerMinute: 60,
};

/** `GET /v1/account` (specification "Account object"): never cached, costs no quota. */
export async function accountResponse(admission: Pick<Admission, 'account'>): Promise<RouteResponse> {
  const body = JSON.stringify(await admission.account());
  return { status: 200, headers: { 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE }, body };
}

/** Every data route, in the order of the documentation. */
export const DATA_ROUTES: readonly DataRoute[] = [
  modelsRoute,
  modelRoute,
  resolveRoute,
  benchmarksRoute,
  scoresRoute,
  pricingRoute,
  rankingsRoute,
  updatesRoute,
  categoriesRoute,
  sourcesRoute,
  costRoute,
  lifecycleRoute,
  modelHistoryRoute,
  rankingsHistoryRoute,
  snapshotsRoute,
  snapshotDownloadRoute,
  ...exportRoutes,
  changesRoute,
];

/** Access rules of every route below `/v1`. */
export const V1_ROUTES: readonly RouteAccess[] = [...DATA_ROUTES.map(({ access }) => access), ACCOUNT_ROUTE];
