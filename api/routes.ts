import type { AnyDataRoute } from './data-route.ts';
import { benchmarksRoute } from './routes/benchmarks.ts';
import { categoriesRoute } from './routes/categories.ts';
import { changesRoute } from './routes/changes.ts';
import { modelRoute } from './routes/model.ts';
import { modelHistoryRoute } from './routes/model-history.ts';
import { modelsRoute } from './routes/models.ts';
import { rankingsRoute } from './routes/rankings.ts';
import { rankingsHistoryRoute } from './routes/rankings-history.ts';
import { scoresRoute } from './routes/scores.ts';
import { snapshotDownloadRoute } from './routes/snapshot-download.ts';
import { snapshotsRoute } from './routes/snapshots.ts';
import { updatesRoute } from './routes/updates.ts';

/** Every data route, in the order of the documentation. */
export const DATA_ROUTES: readonly AnyDataRoute[] = [
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
