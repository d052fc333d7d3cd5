import { type Column, contentColumns, DATASETS, type Dataset } from '../../schemas/datasets.ts';
import type { IdKind } from './schema.ts';

export const HISTORY_KINDS = ['score', 'ranking', 'pricing', 'metadata'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

/** How a kind's points are made from records (specification "History points"). */
export interface HistorySource {
  readonly dataset: Dataset;
  /** Column of the model's id. */
  readonly model: string;
  /** Column that distinguishes the series of a model; null: one series. */
  readonly series: string | null;
  /** Column of the point's `value`; null: none. */
  readonly value: Column | null;
  /** Columns of the point's `payload`, in order; see {@link isOptionalInPayload}. */
  readonly payload: readonly Column[];
}

function source(
  dataset: Dataset,
  series: string | null,
  value: string | null,
  payload: readonly string[],
): HistorySource {
  const getColumn = (name: string) => {
    const column = dataset.columns.find((candidate) => candidate.name === name);
    if (column === undefined) throw new Error(`${dataset.name} has no column ${name}`);
    return column;
  };
  const added = contentColumns(dataset).filter(
    ({ name, addedIn, isUpstream }) => addedIn !== undefined && isUpstream !== true && !payload.includes(name),
  );
  return {
    dataset,
    model: dataset.name === 'models' ? 'id' : 'model_id',
    series,
    value: value === null ? null : getColumn(value),
    payload: [...payload.map(getColumn), ...added],
  };
}

/** Fields of later record versions are absent while null, so that answers about earlier days stay as they were. */
export function isOptionalInPayload({ addedIn, isStoredBefore = false }: Column): boolean {
  return addedIn !== undefined && !isStoredBefore;
}

/** Columns of later record versions follow, except upstreams, which describe only the current record. */
export const HISTORY_SOURCES: Readonly<Record<HistoryKind, HistorySource>> = {
  score: source(DATASETS.scores, 'benchmark_id', 'value', ['n', 'source', 'measured_at']),
  // `positions`, a property of the day, precedes these.
  ranking: source(DATASETS.rankings, 'category', 'rank', ['trueskill_mu', 'trueskill_sigma']),
  pricing: source(DATASETS.pricing, 'provider', 'input_per_million', [
    'provider',
    'input_per_million',
    'output_per_million',
    'currency',
    'effective_from',
  ]),
  metadata: source(DATASETS.models, null, null, [
    'name',
    'organization',
    'release_date',
    'context_length',
    'inference',
  ]),
};

/** Kind of the ids of series; null: a model has one series. */
export const SERIES_KINDS: Readonly<Record<HistoryKind, IdKind | null>> = {
  score: 'benchmark',
  ranking: 'category',
  pricing: 'provider',
  metadata: null,
};
