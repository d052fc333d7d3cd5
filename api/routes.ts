import type { RouteAccess } from './access/access-control.ts';
import type { DataRoute } from './answers/data-route.ts';
import { ACCOUNT_ROUTE } from './routes/account.ts';
import { changesRoute } from './routes/changes.ts';
import { benchmarksRoute } from './routes/current/benchmarks.ts';
import { categoriesRoute } from './routes/current/categories.ts';
import { modelRoute } from './routes/current/model.ts';
import { modelsRoute } from './routes/current/models.ts';
import { rankingsRoute } from './routes/current/rankings.ts';
import { scoresRoute } from './routes/current/scores.ts';
import { updatesRoute } from './routes/current/updates.ts';
import { modelHistoryRoute } from './routes/history/model-history.ts';
import { rankingsHistoryRoute } from './routes/history/rankings-history.ts';
import { snapshotDownloadRoute } from './routes/snapshots/snapshot-download.ts';
import { snapshotsRoute } from './routes/snapshots/snapshots.ts';

/** Every data route, in the order of the documentation. */
export const DATA_ROUTES: readonly DataRoute[] = [
  modelsRoute,
  modelRoute,
  benchmarksRoute,
  scoresRoute,
  rankingsRoute,
  updatesRoute,
  categoriesRoute,
  modelHistoryRoute,
  rankingsHistoryRoute,
  snapshotsRoute,
  snapshotDownloadRoute,
  changesRoute,
];

/** Every route below `/v1`, with what it asks of its callers. */
export const V1_ROUTES: readonly RouteAccess[] = [...DATA_ROUTES.map(({ access }) => access), ACCOUNT_ROUTE];
