/** Nights of which each tells something else, small enough to know every entry of every feed by hand. */
import type { Day } from '../../runtime/day.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import type { DayRows } from '../support/pipeline/write-day.ts';

const UPDATED = { updated_at: '2026-05-31T00:00:00Z' };

/** Names that break what is careless: markup, the end of a CDATA section, right to left, Chinese, an override, an emoji. */
export const ODD_NAME = '<script>alert("1")</script> & ]]>';
export const NAMES: Readonly<Record<string, string>> = {
  'odd/<b>:1@v2.atom': ODD_NAME,
  rtl: 'نموذج & דגם',
  cjk: '深度求索 模型',
  'evil\u202eid': 'one\ttwo\r\nthree',
};

const model = (id: string, more: object = {}) => ({ id, name: NAMES[id] ?? `Model ${id}`, ...UPDATED, ...more });
const price = (model_id: string, provider: string, input: number | null, more: object = {}) => ({
  model_id,
  provider,
  input_per_million: input,
  output_per_million: 10,
  ...UPDATED,
  ...more,
});
const ranks = (category: string, order: readonly string[]) =>
  order.map((model_id, i) => ({ model_id, category, rank: i + 1, trueskill_mu: 25, ...UPDATED }));
const score = (model_id: string, value: number, more: object = {}) => ({
  model_id,
  benchmark_id: 'x',
  value,
  ...UPDATED,
  ...more,
});

const FIRST = ['a', 'b', 'c', 'd', 'gone'];
const BENCHMARKS = [{ id: 'x', name: 'X', ...UPDATED }];
const PRICES = [price('a', 'p', 3), price('a', 'q', 3), price('b', 'p', 2), price('c', 'p', 1), price('gone', 'p', 1)];
const SCORES = [score('a', 70), score('gone', 1)];
const general = (...order: readonly string[]) => ranks('general', order);

const BASE: DayRows = {
  models: FIRST.map((id) => model(id)),
  benchmarks: BENCHMARKS,
  scores: SCORES,
  rankings: general('a', 'b', 'c', 'gone'),
  pricing: PRICES,
};
const WITHOUT_GONE = FIRST.filter((id) => id !== 'gone');
const ODD = Object.keys(NAMES);
const WITH_ODD = [...WITHOUT_GONE, ...ODD].map((id) => model(id, id === 'cjk' ? { organization: 'Org & Söhne' } : {}));
const THIRD = { models: WITH_ODD, benchmarks: BENCHMARKS, rankings: general('b', 'cjk', 'a', 'c') };
const otherNames = (ids: readonly string[]) =>
  [...ids, ...ODD].map((id) => model(id, { name: `Other ${id}`, organization: 'x' }));
const LATER_SCORES = [score('a', 71.5), score('b', 0.5)];
const FALLEN = [price('a', 'p', 2.5), price('a', 'q', 2.5)];
const PRICE_OF_C = price('c', 'p', 1, { effective_from: '2026-06-01' });
const AT_SECOND_PROVIDER = price('c', 'r', 1, { currency: 'EUR' });
const LATER_PRICES = [...FALLEN, price('b', 'p', 2.2), PRICE_OF_C, AT_SECOND_PROVIDER, price('cjk', 'p', null)];
const LATER_RANKS = [...general('b', 'cjk', 'a', 'c'), ...ranks('code', ['a', 'd'])];

/**
 * 06-01 is the first night. 06-02: a price that is the same at two providers falls, another only begins later; two models change
 * places; a score is corrected, another measured anew. 06-03: four odd models come, one of them with a price and a rank; `gone` goes
 * with all it has; the price of `b` can't be believed. 06-04: that price is believed again, and has risen; `c` is offered by a second
 * provider. 06-05: prices are not captured; a category is ranked for the first time. 06-06: nothing. 06-08: `gone` is back; `c` is not
 * offered by its first provider any more; a model of the ranking leaves it.
 */
export const TOLD_DAYS: Readonly<Record<Day, DayRows>> = {
  '2026-06-01': BASE,
  '2026-06-02': {
    ...BASE,
    scores: [score('a', 71.5), score('gone', 1, { measured_at: '2026-06-01' })],
    rankings: general('b', 'a', 'c', 'gone'),
    pricing: [...FALLEN, price('b', 'p', 2), PRICE_OF_C, price('gone', 'p', 1)],
  },
  '2026-06-03': {
    ...THIRD,
    scores: [score('a', 71.5)],
    pricing: [...FALLEN, price('b', 'p', 200_000), PRICE_OF_C, price('cjk', 'p', null)],
  },
  '2026-06-04': { ...THIRD, scores: LATER_SCORES, pricing: LATER_PRICES },
  '2026-06-05': { models: WITH_ODD, benchmarks: BENCHMARKS, scores: LATER_SCORES, rankings: LATER_RANKS },
  '2026-06-06': {
    models: otherNames(WITHOUT_GONE),
    benchmarks: BENCHMARKS,
    scores: LATER_SCORES,
    rankings: LATER_RANKS,
    pricing: LATER_PRICES,
  },
  '2026-06-08': {
    models: otherNames(FIRST),
    benchmarks: BENCHMARKS,
    scores: [score('a', 71.5)],
    rankings: [...general('b', 'cjk', 'c'), ...ranks('code', ['a', 'd'])],
    pricing: [...FALLEN, price('b', 'p', 2.2), price('gone', 'p', 1), AT_SECOND_PROVIDER, price('cjk', 'p', null)],
  },
};

export async function publishToldDays(store: TemporaryStore, days = Object.keys(TOLD_DAYS)): Promise<void> {
  for (const day of days) await store.publish(day, TOLD_DAYS[day] ?? {});
}
