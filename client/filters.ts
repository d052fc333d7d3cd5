/** Parameters of the OpenAPI document; days are `YYYY-MM-DD`. */
import type { operations } from './answers.ts';

export type QueryOf<Name extends keyof operations> = operations[Name]['parameters']['query'] extends undefined
  ? object
  : NonNullable<operations[Name]['parameters']['query']>;

export type Page = Pick<QueryOf<'listModels'>, 'limit' | 'cursor'>;

export type ModelFilters = Omit<QueryOf<'listModels'>, keyof Page>;
export type BenchmarkFilters = Omit<QueryOf<'listBenchmarks'>, keyof Page>;
export type ScoreFilters = Omit<QueryOf<'listScores'>, keyof Page>;
export type PriceFilters = Omit<QueryOf<'listPricing'>, keyof Page>;
export type UpdateFilters = Omit<QueryOf<'listUpdates'>, keyof Page>;
export type HistoryRange = Pick<QueryOf<'getModelHistory'>, 'from' | 'to'>;
export type ModelHistoryFilters = QueryOf<'getModelHistory'>;
export type RankingsHistoryFilters = Omit<QueryOf<'getRankingsHistory'>, 'category_id'>;
export type SnapshotFilters = QueryOf<'listSnapshots'>;
export type ChangeFilters = QueryOf<'listChanges'>;
