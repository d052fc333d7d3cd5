/** Every data route: how requests for it are made up, and what the API must answer to them. */
import { type ApiState, type Expected, notFound } from './expected.ts';
import type { Asked, OracleRoute, Parameters } from './route.ts';
import * as catalog from './routes/catalog.ts';
import { askChanges, changesResponse } from './routes/changes.ts';
import { askCost, costResponse } from './routes/cost.ts';
import * as exported from './routes/exports.ts';
import * as lists from './routes/lists.ts';
import { askModelHistory, modelHistoryResponse } from './routes/model-history.ts';
import { askRankingsHistory, rankingsHistoryResponse } from './routes/rankings-history.ts';
import { askResolve, resolveResponse } from './routes/resolve.ts';
import * as snapshots from './routes/snapshots.ts';

type Row = readonly [name: string, path: string, weight: number, OracleRoute['response'], OracleRoute['ask']];

/** A new one comes last: the same seed then asks the others the same. */
const ROWS: readonly Row[] = [
  ['model-history', '/v1/models/{model_id}/history', 30, modelHistoryResponse, askModelHistory],
  ['rankings-history', '/v1/rankings/history', 14, rankingsHistoryResponse, askRankingsHistory],
  ['changes', '/v1/changes', 14, changesResponse, askChanges],
  ['models', '/v1/models', 12, lists.modelsResponse, lists.askModels],
  ['scores', '/v1/scores', 9, lists.scoresResponse, lists.askScores],
  ['rankings', '/v1/rankings', 5, lists.rankingsResponse, lists.askRankings],
  ['model', '/v1/models/{id}', 6, catalog.modelResponse, catalog.askModel],
  ['benchmarks', '/v1/benchmarks', 2, lists.benchmarksResponse, lists.askBenchmarks],
  ['updates', '/v1/updates', 4, catalog.updatesResponse, catalog.askUpdates],
  ['categories', '/v1/categories', 1, catalog.categoriesResponse, catalog.askNothing],
  ['sources', '/v1/sources', 1, catalog.sourcesResponse, catalog.askNothing],
  ['snapshots', '/v1/snapshots', 1, snapshots.snapshotsResponse, snapshots.askSnapshots],
  ['download', '/v1/snapshots/{snapshot_id}/download', 3, snapshots.downloadResponse, snapshots.askDownload],
  ['pricing', '/v1/pricing', 5, lists.pricingResponse, lists.askPricing],
  ['cost', '/v1/cost', 8, costResponse, askCost],
  ['resolve', '/v1/resolve', 4, resolveResponse, askResolve],
  ['lifecycle', '/v1/lifecycle', 2, lists.lifecycleResponse, lists.askLifecycle],
  ['export-litellm', '/v1/exports/{day}/litellm.json', 2, exported.litellmResponse, exported.askExport],
  ['export-models-dev', '/v1/exports/{day}/models-dev.json', 1, exported.modelsDevResponse, exported.askExport],
  ['export-prices', '/v1/exports/{day}/prices.csv', 2, exported.pricesResponse, exported.askExport],
];

export const ROUTES: readonly OracleRoute[] = ROWS.map(([name, path, weight, response, ask]) => {
  return { name, path, weight, response, ask };
});

export function routeOf(name: string): OracleRoute {
  const route = ROUTES.find((known) => known.name === name);
  if (route === undefined) throw new Error(`the oracle has no route ${name}`);
  return route;
}

export interface ApiRequest extends Asked {
  /** The name of one of the routes; undefined: a path that none has, `/v1/` with the parameter `nowhere`. */
  readonly route: string | undefined;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
}

/** What the API must answer to a request. */
export function responseRequest(state: ApiState, { route, method = 'GET', ...asked }: ApiRequest): Expected {
  if (route === undefined) return notFound(null);
  if (method !== 'GET') return { kind: 'refusal', status: 405, code: 'method_not_allowed' };
  return routeOf(route).response(state, asked);
}

/** The path and query to send, with the query's parameters replaced or added to. */
export function targetFromRequest(request: ApiRequest, more: Parameters = {}): string {
  const encode = request.isBare ? encodeBare : encodeURIComponent;
  const template = request.route === undefined ? '/v1/{nowhere}' : routeOf(request.route).path;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encode(request.params[name] ?? ''));
  const query = Object.entries({ ...request.query, ...more });
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function encodeBare(text: string): string {
  return encodeURIComponent(text).replace(/%(3A|40|2B|2C|3D|24|26|3B)/g, (code) => decodeURIComponent(code));
}
