/** What requests may ask; names are those of the parameters, days `YYYY-MM-DD`. */

export interface Page {
  /** Records per page. */
  readonly limit?: number;
  /** The `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string;
}

type ModelSort = 'id' | 'name' | 'release_date' | 'context_length' | 'updated_at';

export interface ModelFilters {
  /** Part of the id, the name or an alias, in any case. */
  readonly q?: string;
  /** What an upstream calls the model, or its id, exactly. */
  readonly alias?: string;
  readonly organization?: string;
  readonly provider?: string;
  readonly min_context?: number;
  readonly released_after?: string;
  readonly released_before?: string;
  readonly max_input_price?: number;
  readonly max_output_price?: number;
  readonly sort?: ModelSort | `-${ModelSort}`;
}

export interface BenchmarkFilters {
  readonly category?: string;
}

export interface ScoreFilters {
  readonly model?: string;
  readonly benchmark?: string;
  readonly source?: string;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly measured_after?: string;
  readonly measured_before?: string;
  readonly sort?: 'model_id' | 'value' | '-value' | '-measured_at';
}

export interface HistoryRange {
  readonly from?: string;
  readonly to?: string;
}

export interface ModelHistoryFilters extends HistoryRange {
  readonly kind: 'score' | 'ranking' | 'pricing' | 'metadata';
  readonly benchmark_id?: string;
  readonly category_id?: string;
  readonly provider?: string;
}

export interface UpdateFilters {
  /** How far back, in days. */
  readonly days?: number;
}

export interface RankingsHistoryFilters extends HistoryRange {
  /** Positions of each day. */
  readonly top?: number;
}

export interface SnapshotFilters {
  /** Of the records, `major` or `major.minor`; left out: the one in force. */
  readonly schema_version?: string;
}

export interface ChangeFilters {
  /** A snapshot's `change_cursor` or a page's `next_cursor`; left out: the feed's beginning. */
  readonly cursor?: string;
  /** Events per page. */
  readonly limit?: number;
  readonly entity_type?: 'model' | 'score' | 'ranking' | 'pricing';
}
