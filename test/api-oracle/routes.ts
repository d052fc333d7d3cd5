import type { OracleRoute } from './route.ts';
import { categoriesRoute, modelRoute, sourcesRoute, updatesRoute } from './routes/catalog.ts';
import { changesRoute } from './routes/changes.ts';
import { benchmarksRoute, modelsRoute, rankingsRoute, scoresRoute } from './routes/lists.ts';
import { modelHistoryRoute } from './routes/model-history.ts';
import { rankingsHistoryRoute } from './routes/rankings-history.ts';
import { downloadRoute, snapshotsRoute } from './routes/snapshots.ts';

/** Every data route. A new one comes last: the same seed then asks the others the same. */
export const ROUTES: readonly OracleRoute[] = [
  modelHistoryRoute,
  rankingsHistoryRoute,
  changesRoute,
  modelsRoute,
  scoresRoute,
  rankingsRoute,
  modelRoute,
  benchmarksRoute,
  updatesRoute,
  categoriesRoute,
  sourcesRoute,
  snapshotsRoute,
  downloadRoute,
];

export function routeOf(name: string): OracleRoute {
  const route = ROUTES.find((known) => known.name === name);
  if (route === undefined) throw new Error(`the oracle has no route ${name}`);
  return route;
}
