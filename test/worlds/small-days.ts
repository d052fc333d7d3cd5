import type { Day } from '../../runtime/day.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';

/** An id with everything that an id may hold and a URL may not. */
export const ODD_ID = 'org/odd:1@v2+x%2F é';
/** Today for the tests of these days: ten days after the first. */
export const TODAY: Day = '2026-06-11';

const UPDATED = { updated_at: '2026-05-31T00:00:00Z' };
const ALL = ['Case', 'a', 'case', 'gone', ODD_ID];
const BENCHMARKS = ['code', 'math/x'].map((id) => ({ id, name: id, category: 'c', ...UPDATED }));

function models(ids: readonly string[]): readonly object[] {
  return ids.map((id) => ({ id, name: `Model ${id}`, organization: 'org', ...UPDATED }));
}

function score(modelId: string, benchmark: string, value: unknown): object {
  return { model_id: modelId, benchmark_id: benchmark, value, source: 'official', n: 7, ...UPDATED };
}

function price(modelId: string, provider: string, input: number): object {
  return { model_id: modelId, provider, input_per_million: input, output_per_million: input * 2, ...UPDATED };
}

/** `general` by rank, models in the order given; a list inside the list shares a rank. */
function ranking(category: string, order: readonly (readonly string[])[]): readonly object[] {
  let rank = 1;
  return order.flatMap((tied) => {
    const rating = { rank, trueskill_mu: 25.5, trueskill_sigma: 1 };
    const rows = tied.map((id) => ({ model_id: id, category, ...rating, ...UPDATED }));
    rank += tied.length;
    return rows;
  });
}

const SCORES = [score('a', 'code', 50), score('a', 'math/x', 1), score('gone', 'code', 9), score(ODD_ID, 'code', 2)];
const PRICES = [price('a', 'p1', 3), price('a', 'p2', 4), price('gone', 'p1', 5)];
const RANKED = ranking('general', [['a'], ['Case', 'case'], [ODD_ID]]);

const FIRST: DayRows = {
  models: models(ALL),
  benchmarks: BENCHMARKS,
  scores: SCORES,
  rankings: [...RANKED, ...ranking('code', [['gone']])],
  pricing: PRICES,
};
const SECOND = { ...FIRST, scores: [score('a', 'code', 55), ...SCORES.slice(1)] };
const WITHOUT_GONE = { models: models(ALL.filter((id) => id !== 'gone')), benchmarks: BENCHMARKS };
const OTHER_SCORES = [score('a', 'math/x', 1), score(ODD_ID, 'code', 2)];
const BACK = { ...SECOND, rankings: ranking('general', [['Case'], ['a', 'case'], [ODD_ID], ['gone']]) };

/**
 * Six nights in seven days. 06-02: a score changes. 06-03: `pricing` is not captured; the model `gone` vanishes. 06-04: a
 * score's row is bad; `rankings` is not captured. 06-05: no night. 06-06: `gone` is back, and the ranking has changed.
 * 06-07: one price changes.
 */
export const SMALL_DAYS: Readonly<Record<Day, DayRows>> = {
  '2026-06-01': FIRST,
  '2026-06-02': SECOND,
  '2026-06-03': { ...WITHOUT_GONE, scores: [score('a', 'code', 55), ...OTHER_SCORES], rankings: RANKED },
  '2026-06-04': {
    ...WITHOUT_GONE,
    scores: [score('a', 'code', 'not a number'), ...OTHER_SCORES],
    pricing: PRICES.slice(0, 2),
  },
  '2026-06-06': BACK,
  '2026-06-07': { ...BACK, pricing: [price('a', 'p1', 3.5), ...PRICES.slice(1)] },
};

/** Prices of `a` for the days from 2026-05-20 until the first night. */
export const BACKFILL_ROWS: readonly object[] = [
  { ...price('a', 'p1', 1), effective_from: '2026-05-20', effective_to: '2026-05-25', updated_at: undefined },
  { ...price('a', 'p1', 2), effective_from: '2026-05-28', updated_at: undefined },
];

export async function publishSmallDays(store: TemporaryStore, days = Object.keys(SMALL_DAYS)): Promise<void> {
  for (const day of days) await store.publish(day, SMALL_DAYS[day] ?? {});
}
