import { createChooser } from '../support/random.ts';
import type { ApiState } from './expected.ts';
import type { ApiRequest, Route } from './request.ts';
import { gatherValues, type RequestMaker } from './requests/asking.ts';
import { askChanges, askDownload, askSnapshots } from './requests/feeds.ts';
import { askModelHistory, askRankingsHistory } from './requests/histories.ts';
import { findInterests } from './requests/interests.ts';
import { askBenchmarks, askModels, askRankings, askScores } from './requests/lists.ts';
import { askCategories, askModel, askNowhere, askOtherMethod, askSources, askUpdates } from './requests/others.ts';

const WEIGHTS = {
  'model-history': 30,
  'rankings-history': 14,
  changes: 14,
  models: 12,
  scores: 9,
  rankings: 5,
  model: 6,
  benchmarks: 2,
  updates: 4,
  categories: 1,
  sources: 1,
  snapshots: 1,
  download: 3,
  nowhere: 1,
  method: 1,
};

const MAKERS: Readonly<Record<keyof typeof WEIGHTS, RequestMaker>> = {
  'model-history': askModelHistory,
  'rankings-history': askRankingsHistory,
  changes: askChanges,
  models: askModels,
  scores: askScores,
  rankings: askRankings,
  model: askModel,
  benchmarks: askBenchmarks,
  updates: askUpdates,
  categories: askCategories,
  sources: askSources,
  snapshots: askSnapshots,
  download: askDownload,
  nowhere: askNowhere,
  method: askOtherMethod,
};

export interface GenerateOptions {
  readonly count: number;
  readonly seed: number;
  /** Only requests of these routes; all where absent. */
  readonly routes?: readonly Route[] | undefined;
}

/** Random requests, the same for the same state and seed; their parameters are in order, and all have a settled answer. */
export function* generateRequests(state: ApiState, options: GenerateOptions): Iterable<ApiRequest> {
  const { count, seed, routes } = options;
  const choose = createChooser(seed);
  const asking = { state, interests: findInterests(state), choose, values: gatherValues(state) };
  for (let made = 0; made < count; ) {
    const request = MAKERS[choose.weighted(WEIGHTS)](asking);
    if (routes?.includes(request.route) === false) continue;
    made += 1;
    yield request;
  }
}
