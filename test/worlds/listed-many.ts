import { addDays, type Day } from '../../runtime/day.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';
import { createChooser } from '../support/random.ts';

const MODELS = 260;
const BENCHMARKS = 70;

/** Texts that another order than that of their UTF-8 bytes would sort otherwise, or that begin alike. */
const STEMS = ['openrouter/m', 'OpenRouter/m', 'openrouter', 'é', 'É', '\u{1F600}', '\uFF5E', '%', 'm-', 'M-', 'm_'];
const SOURCES = ['official', 'Official', 'vendor', 'https://example.org/a', 'https://example.org/b', undefined];
const ORGANIZATIONS = ['x', 'X', 'ÿ', 'lab', undefined];

/**
 * A day with more scores than DuckDB reads at once, with equal, missing, negative and extreme values in everything that can be
 * filtered or sorted. Another `seed` is another day: other values, some records gone, some new.
 */
export function listedMany(seed: number): DayRows {
  const choose = createChooser(seed);
  const day = (): Day => addDays('2026-01-01', choose.integer(0, 9));
  const maybe = <T>(value: T) => (choose.chance(0.4) ? undefined : value);
  const at = () => ({ updated_at: `2026-03-0${choose.integer(1, 3)}T00:00:00Z` });
  const ids = Array.from({ length: MODELS }, (_, i) => `${STEMS[i % STEMS.length]}${i}`).filter(() =>
    choose.chance(0.95),
  );
  const benchmarks = Array.from({ length: BENCHMARKS }, (_, i) => `${i % 3 === 0 ? 'B' : 'b'}ench ${i}`);
  return {
    models: ids.map((id, i) => ({
      id,
      name: choose.pick(['Zulu', 'alpha', 'Ålpha', '\u{1F600}', '\uFF5E', id]),
      organization: choose.pick(ORGANIZATIONS),
      inference: maybe(choose.pick([['p1'], ['p1', 'p2'], ['P1']])),
      release_date: maybe(day()),
      context_length: maybe(choose.pick([0, 8000, 8001, Number.MAX_SAFE_INTEGER, i])),
      ...at(),
    })),
    benchmarks: benchmarks.map((id, i) => ({ id, name: id, category: ['c', 'C', undefined][i % 3], ...at() })),
    scores: ids.flatMap((model_id) =>
      benchmarks
        .filter(() => choose.chance(0.97))
        .map((benchmark_id) => ({
          model_id,
          benchmark_id,
          value: choose.chance(0.5)
            ? choose.integer(-2, 3)
            : choose.pick([1e300, -1e300, 0.1, 1e-7, choose.integer(0, 1e6) / 7]),
          source: choose.pick(SOURCES),
          measured_at: maybe(day()),
          ...at(),
        })),
    ),
    rankings: ids.map((model_id, i) => ({
      model_id,
      category: i % 2 === 0 ? 'c' : 'C',
      rank: choose.integer(1, 40),
      ...at(),
    })),
    pricing: ids.flatMap((model_id) =>
      ['p1', 'p2'].map((provider) => ({
        model_id,
        provider,
        input_per_million: maybe(choose.pick([0, 1, 2.5])),
        output_per_million: maybe(choose.pick([0, 3, 10])),
        ...at(),
      })),
    ),
  };
}
