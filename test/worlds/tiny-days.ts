/** A handful of days small enough to know every answer by hand; the tests of the oracle itself stand on them. */

import type { ApiState } from '../api-oracle/api-state.ts';
import { buildWorld } from '../api-oracle/world.ts';
import type { OracleDay } from '../night-oracle/state.ts';

type Row = Readonly<Record<string, unknown>>;

const AT = '2025-12-01T08:00:00Z';
const model = (id: string, more: Row = {}): Row => ({ id, name: `Model ${id}`, updated_at: AT, ...more });
const score = (model_id: string, value: unknown, more: Row = {}): Row => ({
  model_id,
  benchmark_id: 'x',
  value,
  updated_at: AT,
  ...more,
});
const rank = (model_id: string, position: number, category = 'code'): Row => ({
  model_id,
  category,
  rank: position,
  trueskill_mu: 25,
  updated_at: AT,
});
const price = (model_id: string, provider: string, input: unknown, output: unknown = null): Row => ({
  model_id,
  provider,
  input_per_million: input,
  output_per_million: output,
  updated_at: AT,
});

const A = model('a', { organization: 'o', release_date: '2025-01-02', context_length: 1000, inference: 'p,q' });
const B = model('b', { release_date: '2025-01-03', inference: 'p' });
const C = model('C', { context_length: 1000 });
const D = model('d', { name: 'Émile 100%', updated_at: '2025-12-01T08:00:00.250Z' });
const X = { id: 'x', name: 'Bench x', category: null, model_count: 1, updated_at: AT };

/**
 * The 3rd and 4th are not captured. `b` vanishes on the 5th and is back on the 6th; a's score is unreadable on the 6th
 * and its price not to be believed on the 5th; rankings begin on the 2nd; the 7th has no file of models and scores.
 */
export const TINY_DAYS: readonly OracleDay[] = [
  day(1, { models: [A, B], benchmarks: [X], scores: [score('a', 1, { n: 10 })], pricing: [price('a', 'p', 1, 2)] }),
  day(2, {
    models: [A, B, C],
    benchmarks: [X],
    scores: [score('a', 1, { n: 10 }), score('C', 5)],
    rankings: [rank('a', 1), rank('C', 1), rank('b', 3), rank('b', 1, 'art')],
    pricing: [price('a', 'p', 1, 2)],
  }),
  day(5, {
    models: [A, C],
    benchmarks: [X],
    scores: [score('a', 2, { source: 'official', measured_at: '2026-01-04' })],
    rankings: [rank('a', 1), rank('C', 2)],
    pricing: [price('a', 'p', 20_000, 2), price('a', 'q', null, 0)],
  }),
  day(6, {
    models: [A, B, C, D],
    benchmarks: [X],
    scores: [score('a', 'oops'), score('C', 5)],
    rankings: [rank('b', 1), rank('a', 2), rank('C', 2)],
    pricing: [price('a', 'p', 1, 2), price('a', 'q', null, 0), price('C', 'q', 1, null)],
  }),
  day(7, { rankings: [rank('a', 1), rank('b', 2), rank('C', 3)], pricing: [price('a', 'p', 1, 3)] }),
];

export function tinyState(today = '2026-01-08'): ApiState {
  return { world: buildWorld(TINY_DAYS), today, retainedFrom: null, stored: null };
}

function day(n: number, rows: OracleDay['rows']): OracleDay {
  const name = `2026-01-0${n}`;
  return { day: name, capturedAt: `${name}T23:59:59Z`, rows, accept: true };
}
