import type { DayRows } from '../support/pipeline/write-day.ts';

const at = (day: number) => ({ updated_at: `2026-05-${String(day).padStart(2, '0')}T00:00:00Z` });

/** One day with equal, missing and extreme values in everything that can be filtered or sorted. */
export const LISTED_DAY: DayRows = {
  models: [
    { id: 'B', name: 'Zulu', organization: 'x', release_date: '2026-01-01', context_length: 8000, ...at(1) },
    { id: 'a', name: 'Zulu', organization: 'x', inference: ['p1', 'p2'], release_date: '2026-02-01', ...at(2) },
    { id: 'b', name: 'alpha', organization: 'y', release_date: '2026-02-01', context_length: 8000, ...at(2) },
    { id: 'c/1', name: '100% "best"', organization: 'X', inference: ['p1'], context_length: 0, ...at(3) },
    { id: 'd', name: 'ÅNGSTRÖM', context_length: 9007199254740991, ...at(4) },
    { id: 'é', name: 'épée', release_date: '2025-12-31', ...at(5) },
  ],
  benchmarks: [
    { id: 'code', name: 'Code', category: 'coding', ...at(1) },
    { id: 'Code', name: 'Other', ...at(1) },
    { id: 'math', name: 'Math', category: 'maths', ...at(1) },
  ],
  scores: [
    { model_id: 'a', benchmark_id: 'code', value: 0.1, source: 'official', measured_at: '2026-01-01', ...at(1) },
    { model_id: 'a', benchmark_id: 'math', value: 0.30000000000000004, source: 'vendor', ...at(1) },
    { model_id: 'b', benchmark_id: 'code', value: 0.3, measured_at: '2026-03-01', ...at(1) },
    { model_id: 'B', benchmark_id: 'code', value: -5, source: 'official', measured_at: '2026-03-01', ...at(1) },
    { model_id: 'd', benchmark_id: 'Code', value: 1e300, source: 'community', ...at(1) },
    { model_id: 'd', benchmark_id: 'code', value: 0.3, source: 'official', measured_at: '2026-02-01', ...at(1) },
  ],
  rankings: [
    { model_id: 'b', category: 'general', rank: 1, trueskill_mu: 30, trueskill_sigma: 1, ...at(1) },
    { model_id: 'B', category: 'general', rank: 2, ...at(1) },
    { model_id: 'a', category: 'general', rank: 2, ...at(1) },
    { model_id: 'd', category: 'general', rank: 4, ...at(1) },
    { model_id: 'd', category: 'code', rank: 1, ...at(1) },
  ],
  pricing: [
    { model_id: 'a', provider: 'p1', input_per_million: 1, output_per_million: 9, ...at(1) },
    { model_id: 'a', provider: 'p2', input_per_million: 5, output_per_million: 2, ...at(1) },
    { model_id: 'b', provider: 'p1', input_per_million: 0, ...at(1) },
    { model_id: 'B', provider: 'p1', output_per_million: 3, ...at(1) },
  ],
};
