/**
 * The bodies of the service's answers. Keys may be added to any of them (specification "Versioning of the API"). A test holds
 * these types and the service's own together.
 */
import type { DatasetName } from '../schemas/datasets.ts';
import type { Manifest } from '../schemas/manifest.ts';

export interface Model {
  /** Case-sensitive. */
  readonly id: string;
  readonly name: string;
  readonly organization: string | null;
  /** `YYYY-MM-DD`. */
  readonly release_date: string | null;
  /** In tokens. */
  readonly context_length: number | null;
  /** Ids of the providers that serve it, sorted. */
  readonly inference: readonly string[] | null;
  /** Whose word it is, an id of `listSources`; absent from services whose newest snapshot is in version 1.0. */
  readonly source?: string | null;
  readonly updated_at: string;
}

export interface Benchmark {
  readonly id: string;
  readonly name: string;
  readonly category: string | null;
  readonly model_count: number;
  readonly updated_at: string;
}

export interface Score {
  readonly model_id: string;
  readonly benchmark_id: string;
  /** On the benchmark's own scale. */
  readonly value: number;
  readonly source: string | null;
  /** `YYYY-MM-DD`. */
  readonly measured_at: string | null;
  readonly updated_at: string;
}

export interface Ranking {
  readonly model_id: string;
  readonly category: string;
  /** 1 is best; a tie shares one. */
  readonly rank: number;
  readonly trueskill_mu: number | null;
  readonly trueskill_sigma: number | null;
  readonly updated_at: string;
}

export interface Price {
  readonly model_id: string;
  readonly provider: string;
  /** Per million tokens, in `currency`. */
  readonly input_per_million: number | null;
  readonly output_per_million: number | null;
  /** ISO 4217. */
  readonly currency: string;
  /** `YYYY-MM-DD`. */
  readonly effective_from: string | null;
  /** Whose word it is, an id of `listSources`; absent from services whose newest snapshot is in version 1.0. */
  readonly source?: string | null;
  readonly updated_at: string;
}

/** What every list has beside its records. */
interface ListFields {
  /** Records that meet the filters, on all pages. */
  readonly total: number;
  /** For the next page; null on the last one. */
  readonly next_cursor: string | null;
}

export interface Models extends ListFields {
  readonly models: readonly Model[];
}

/** What an upstream calls a model. */
export interface Alias {
  readonly upstream: string;
  readonly id: string;
}

export interface ModelDetail extends Model {
  readonly scores: readonly Score[];
  readonly rankings: readonly Ranking[];
  readonly pricing: readonly Price[];
  readonly aliases: readonly Alias[];
}

export interface Benchmarks extends ListFields {
  readonly benchmarks: readonly Benchmark[];
}

export interface Scores extends ListFields {
  readonly scores: readonly Score[];
}

export interface Rankings extends ListFields {
  readonly category: string;
  /** When the rankings were captured; null before any were. */
  readonly ranked_at: string | null;
  readonly method: string | null;
  readonly rankings: readonly Ranking[];
}

export interface AddedModel extends Model {
  readonly added_at: string;
}

export interface Updates extends ListFields {
  readonly days: number;
  readonly models: readonly AddedModel[];
}

export interface Category {
  readonly id: string;
  readonly model_count: number;
}

export interface Categories {
  readonly categories: readonly Category[];
}

/** An upstream: who it is, on which terms, and how its files came. */
export interface Source {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly license: string | null;
  readonly terms_url: string | null;
  /** The line that whoever shows the data has to show with it. */
  readonly attribution: string | null;
  /** Whether its terms allow to pass the data on. */
  readonly redistribution: boolean;
  readonly terms_checked: string | null;
  readonly fetched_at: string | null;
  readonly checked_at: string | null;
  readonly failed_since: string | null;
  readonly files: number;
}

export interface Sources {
  readonly sources: readonly Source[];
}

/** Of every point of a history. */
interface PointFields {
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string;
  readonly source: PointSource | null;
}

export type PointSource = 'capture' | 'backfill';

export interface ModelScorePoint extends PointFields {
  readonly value: number;
  readonly benchmark_id: string;
  readonly category_id: string | null;
  readonly payload: ScorePayload;
}

export interface ScorePayload {
  /** Sample size. */
  readonly n: number | null;
  readonly source: string | null;
  readonly measured_at: string | null;
}

export interface ModelRankingPoint extends PointFields {
  /** 1 is best. */
  readonly value: number;
  readonly benchmark_id: string | null;
  readonly category_id: string;
  readonly payload: RankingPayload;
}

export interface RankingPayload {
  /** Models that were ranked in the category that day. */
  readonly positions: number;
  readonly trueskill_mu: number | null;
  readonly trueskill_sigma: number | null;
}

export interface ModelPricingPoint extends PointFields {
  /** Price of a million input tokens. */
  readonly value: number | null;
  readonly benchmark_id: string | null;
  readonly category_id: string | null;
  readonly payload: PricingPayload;
}

export interface PricingPayload {
  readonly provider: string;
  readonly input_per_million: number | null;
  readonly output_per_million: number | null;
  readonly currency: string;
  readonly effective_from: string | null;
}

export interface ModelMetadataPoint extends PointFields {
  readonly value: number | null;
  readonly benchmark_id: string | null;
  readonly category_id: string | null;
  readonly payload: MetadataPayload;
}

export interface MetadataPayload {
  readonly name: string;
  readonly organization: string | null;
  readonly release_date: string | null;
  readonly context_length: number | null;
  readonly inference: readonly string[] | null;
}

/** A point of any kind. */
export type HistoryPoint = ModelScorePoint | ModelRankingPoint | ModelPricingPoint | ModelMetadataPoint;

export interface HistoryWindow {
  readonly from: string;
  readonly to: string;
  /** Oldest day that the plan may query; null: unlimited. */
  readonly plan_limit_from: string | null;
  /** First day with data; null: none yet. */
  readonly available_from: string | null;
}

interface ModelHistoryFields {
  readonly model_id: string;
  readonly window: HistoryWindow;
}

export interface ModelScoreHistory extends ModelHistoryFields {
  readonly kind: 'score';
  readonly points: readonly ModelScorePoint[];
}

export interface ModelRankingHistory extends ModelHistoryFields {
  readonly kind: 'ranking';
  readonly points: readonly ModelRankingPoint[];
}

export interface ModelPricingHistory extends ModelHistoryFields {
  readonly kind: 'pricing';
  readonly points: readonly ModelPricingPoint[];
}

export interface ModelMetadataHistory extends ModelHistoryFields {
  readonly kind: 'metadata';
  readonly points: readonly ModelMetadataPoint[];
}

/** Its `kind` tells what its points hold. */
export type ModelHistory = ModelScoreHistory | ModelRankingHistory | ModelPricingHistory | ModelMetadataHistory;

export interface RankingPoint extends PointFields {
  readonly model_id: string;
  /** 1 is best. */
  readonly value: number;
  readonly category_id: string;
  readonly payload: RankingPayload;
}

export interface RankingsHistory {
  readonly category_id: string;
  readonly kind: 'ranking';
  readonly points: readonly RankingPoint[];
  readonly window: HistoryWindow;
}

export interface Snapshots {
  /** Newest first. */
  readonly snapshots: readonly Manifest[];
}

export interface SnapshotDownload {
  readonly dataset: DatasetName;
  /** Needs no key; fetching it costs no quota. */
  readonly url: string;
  readonly expires_at: string;
  readonly bytes: number;
  readonly sha256: string;
}

interface EventFields {
  /** Rises by one from event to event, over the whole feed. */
  readonly seq: number;
  readonly occurred_on: string;
  readonly entity_id: string;
  readonly schema_version: string;
}

export interface ModelKey {
  readonly id: string;
}

export interface ModelUpsert extends EventFields {
  readonly entity_type: 'model';
  readonly key: ModelKey;
  readonly op: 'upsert';
  readonly data: Model;
}

export interface ModelDelete extends EventFields {
  readonly entity_type: 'model';
  readonly key: ModelKey;
  readonly op: 'delete';
  /** Null: the record is gone. */
  readonly data: Model | null;
}

export interface ScoreKey {
  readonly model_id: string;
  readonly benchmark_id: string;
}

export interface ScoreUpsert extends EventFields {
  readonly entity_type: 'score';
  readonly key: ScoreKey;
  readonly op: 'upsert';
  readonly data: Score;
}

export interface ScoreDelete extends EventFields {
  readonly entity_type: 'score';
  readonly key: ScoreKey;
  readonly op: 'delete';
  /** Null: the record is gone. */
  readonly data: Score | null;
}

export interface RankingKey {
  readonly model_id: string;
  readonly category: string;
}

export interface RankingUpsert extends EventFields {
  readonly entity_type: 'ranking';
  readonly key: RankingKey;
  readonly op: 'upsert';
  readonly data: Ranking;
}

export interface RankingDelete extends EventFields {
  readonly entity_type: 'ranking';
  readonly key: RankingKey;
  readonly op: 'delete';
  /** Null: the record is gone. */
  readonly data: Ranking | null;
}

export interface PriceKey {
  readonly model_id: string;
  readonly provider: string;
}

export interface PriceUpsert extends EventFields {
  readonly entity_type: 'pricing';
  readonly key: PriceKey;
  readonly op: 'upsert';
  readonly data: Price;
}

export interface PriceDelete extends EventFields {
  readonly entity_type: 'pricing';
  readonly key: PriceKey;
  readonly op: 'delete';
  /** Null: the record is gone. */
  readonly data: Price | null;
}

/** Its `entity_type` and `op` tell what `key` and `data` hold. */
export type ChangeEvent =
  | ModelUpsert
  | ModelDelete
  | ScoreUpsert
  | ScoreDelete
  | RankingUpsert
  | RankingDelete
  | PriceUpsert
  | PriceDelete;

export interface Changes {
  /** Ascending by seq. */
  readonly events: readonly ChangeEvent[];
  readonly next_cursor: string;
  readonly has_more: boolean;
  readonly retained_from: string;
  readonly published_through: string;
}

export interface Account {
  readonly plan: AccountPlan;
  readonly usage: AccountUsage;
  readonly client_source: string;
}

export interface AccountPlan {
  readonly plan: string;
  readonly plan_version: number;
  readonly display_name: string;
  readonly status: string;
  /** Units a day without bonus; null: unlimited. */
  readonly daily_quota: number | null;
  readonly burst_per_minute: number;
  readonly history_months: number;
  readonly features: readonly string[];
  readonly attribution_required: boolean;
  readonly redistribution_allowed: boolean;
  readonly period_end: string;
}

export interface AccountUsage {
  readonly quota_day: string;
  readonly used: number;
  /** With bonus; null: unlimited. */
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Unix seconds of the next 00:00:00 UTC; that of an error is an ISO 8601 date-time. */
  readonly reset_at: number;
  readonly burst_limit: number;
}
