import { type Column, contentColumns, DATASETS, type Dataset } from '../../../schemas/datasets.ts';

export const HISTORY_KINDS = ['score', 'ranking', 'pricing', 'metadata'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

/** Where the points of a kind come from, and what of a record goes where (specification "History points"). */
export interface HistorySource {
  readonly dataset: Dataset;
  /** The column that names the model. */
  readonly model: string;
  /** The column that tells the series of one model apart; null: there is one series. */
  readonly series: string | null;
  /** The column that becomes the point's `value`; null: the point has none. */
  readonly value: Column | null;
  /** The columns of the point's `payload`, in order. */
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
    ({ addedIn, isUpstream }) => addedIn !== undefined && isUpstream !== true,
  );
  return {
    dataset,
    model: dataset.name === 'models' ? 'id' : 'model_id',
    series,
    value: value === null ? null : getColumn(value),
    payload: [...payload.map(getColumn), ...added],
  };
}

/**
 * What versions of the records have added since stands behind what is named here; whose word a record is belongs to the record of today,
 * not to a day of the past.
 */
export const HISTORY_SOURCES: Readonly<Record<HistoryKind, HistorySource>> = {
  score: source(DATASETS.scores, 'benchmark_id', 'value', ['n', 'source', 'measured_at']),
  // `positions` comes before these; it is a property of the day, not of the record.
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
