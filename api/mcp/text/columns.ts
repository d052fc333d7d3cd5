/** The columns of each kind of record, with their units: one place, so that every tool calls them the same. */
import type { Columns, Row } from './table.ts';

export const MODEL_COLUMNS: Columns = {
  id: 'id',
  name: 'name',
  organization: 'organization',
  released: 'release_date',
  'context (tokens)': 'context_length',
  'served by': servedBy,
};

/** Providers that are named in a table: some models have dozens, and all have their prices in get-model. */
const PROVIDERS_NAMED = 3;

function servedBy({ inference }: Row): string | null {
  if (!Array.isArray(inference) || inference.length === 0) return null;
  const more = inference.length - PROVIDERS_NAMED;
  return inference.slice(0, PROVIDERS_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export const BENCHMARK_COLUMNS: Columns = {
  id: 'id',
  name: 'name',
  category: 'category',
  'models scored': 'model_count',
};

export const SCORE_COLUMNS: Columns = {
  benchmark: 'benchmark_id',
  'score (in the units of the benchmark)': 'value',
  source: 'source',
  measured: 'measured_at',
};

export const RANK_COLUMNS: Columns = { rank: 'rank', skill: 'trueskill_mu', uncertainty: 'trueskill_sigma' };

export const PRICE_COLUMNS: Columns = {
  provider: 'provider',
  'input (USD per million tokens)': 'input_per_million',
  'output (USD per million tokens)': 'output_per_million',
  'since (as the provider says)': 'effective_from',
  source: 'source',
};

export const SOURCE_COLUMNS: Columns = {
  id: 'id',
  name: 'name',
  'home page': 'url',
  licence: 'license',
  attribution: 'attribution',
  'may be passed on': 'redistribution',
  fetched: 'fetched_at',
};
