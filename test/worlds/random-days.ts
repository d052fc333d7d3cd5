/** Days at random: few ids, so that records meet again, and values at the edge of what may be published and beyond it. */
import fc from 'fast-check';
import type { DayRows } from '../support/pipeline/write-day.ts';

export interface RandomDay {
  readonly rows: DayRows;
  /** Days since the one before. */
  readonly gap: number;
  /** Whether an operator lets a held night pass. */
  readonly accept: boolean;
}

const id = fc.constantFrom('a', 'A', 'a:t', 'b:c', 'b%3Ac', 'é/ü', '@x', ' a', 'b:c ', '');
/** With the ids above it makes keys of one joined text: `a` and `t:3`, `a:t` and `3`. */
const other = fc.constantFrom('one', 'Two', 't:3', '3', 'one ');
const price = fc.constantFrom(0, 0.5, 600, 0.0005, 20_000, 0.00001, 9_999, null, -1, '2.5');
const number = fc.constantFrom(-3.25, 0, 7e-7, 100, 1e21, '12', 'x', null, {});
const day = fc.constantFrom('2024-01-31', '2024-02-30', null, '2024-02-29', 'soon');
const updated = fc.constantFrom('2024-02-20T10:00:00Z', '2024-02-28T10:00:00.250Z', '2030-01-01T00:00:00+02:00', null);

const model = fc.record({
  id,
  name: fc.constantFrom('Name', 'Other name', 'Tab\t', null),
  organization: fc.constantFrom('org', null),
  release_date: day,
  context_length: fc.constantFrom(1000, '2000', 1.5, null, -1),
  inference: fc.constantFrom('p,q', 'q, p', null, 'p'),
  updated_at: updated,
});
const benchmark = fc.record({
  id: other,
  name: fc.constant('Bench'),
  category: fc.constant(null),
  model_count: fc.constantFrom(3, null),
  updated_at: updated,
});
const score = fc.record({
  model_id: id,
  benchmark_id: other,
  value: number,
  source: fc.constantFrom('official', null),
  measured_at: day,
  updated_at: updated,
  n: fc.constantFrom(5, null),
});
const ranking = fc.record({
  model_id: id,
  category: other,
  rank: fc.constantFrom(1, 2, 0),
  trueskill_mu: number,
  trueskill_sigma: fc.constantFrom(1.5, null),
  updated_at: updated,
});
const pricing = fc.record({
  model_id: id,
  provider: other,
  input_per_million: price,
  output_per_million: price,
  currency: fc.constantFrom('USD', null),
  effective_from: fc.constant(null),
  updated_at: updated,
});

/** A missing file now and then; few enough rows that the bad ones stay within the limits. */
function file(row: fc.Arbitrary<object>, maxLength: number) {
  return fc.option(fc.array(row, { maxLength }), { freq: 6, nil: undefined });
}

/** A folder without any file is rejected before anything is read, which is tested elsewhere. */
const dayRows: fc.Arbitrary<DayRows> = fc
  .record({
    models: file(model, 8),
    benchmarks: file(benchmark, 4),
    scores: file(score, 8),
    rankings: file(ranking, 6),
    pricing: file(pricing, 8),
  })
  .filter((files) => Object.values(files).some((rows) => rows !== undefined));

/** Two to five days in a row. */
export const RANDOM_DAYS: fc.Arbitrary<readonly RandomDay[]> = fc.array(
  fc.record({ rows: dayRows, gap: fc.integer({ min: 1, max: 3 }), accept: fc.boolean() }),
  { minLength: 2, maxLength: 5 },
);
