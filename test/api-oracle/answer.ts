import { answerCategories, answerModel, answerSources, answerUpdates } from './answers/catalog.ts';
import { answerChanges } from './answers/changes.ts';
import { answerBenchmarks, answerModels, answerRankings, answerScores } from './answers/lists.ts';
import { answerModelHistory } from './answers/model-history.ts';
import { answerRankingsHistory } from './answers/rankings-history.ts';
import { answerDownload, answerSnapshots } from './answers/snapshots.ts';
import { type ApiState, type Expected, notFound } from './expected.ts';
import type { ApiRequest, Route } from './request.ts';

const ANSWERS: Readonly<Record<Route, (state: ApiState, request: ApiRequest) => Expected>> = {
  models: answerModels,
  model: answerModel,
  benchmarks: answerBenchmarks,
  scores: answerScores,
  rankings: answerRankings,
  updates: answerUpdates,
  categories: answerCategories,
  sources: answerSources,
  'model-history': answerModelHistory,
  'rankings-history': answerRankingsHistory,
  changes: answerChanges,
  snapshots: answerSnapshots,
  download: answerDownload,
  nowhere: () => notFound(null),
};

/** What the API must answer to a request. */
export function answerRequest(state: ApiState, request: ApiRequest): Expected {
  if ((request.method ?? 'GET') !== 'GET' && request.route !== 'nowhere') {
    return { kind: 'refusal', status: 405, code: 'method_not_allowed' };
  }
  return ANSWERS[request.route](state, request);
}
