import { addDays, type Day } from '../../../runtime/day.ts';
import { HISTORY_KINDS, type HistoryKind } from '../answers/model-history.ts';
import type { ApiRequest, Parameters } from '../request.ts';
import type { Series } from '../world.ts';
import { type Asking, pickId, pickModel, pickSome } from './asking.ts';
import { pickRange } from './ranges.ts';

/** What each kind's points are captured in, and the parameter that narrows it. */
const KINDS = {
  score: { dataset: 'scores', narrowedBy: 'benchmark_id' },
  ranking: { dataset: 'rankings', narrowedBy: 'category_id' },
  pricing: { dataset: 'pricing', narrowedBy: 'provider' },
  metadata: { dataset: 'models', narrowedBy: undefined },
} as const;

export function askModelHistory(asking: Asking): ApiRequest {
  const { choose, state } = asking;
  const model_id = pickModel(asking);
  const ownSeries = (name: HistoryKind) =>
    [...state.world.series[KINDS[name].dataset].values()].filter(({ key }) => key[0] === model_id);
  const kinds = HISTORY_KINDS.filter((name) => ownSeries(name).length > 0);
  const kind = choose.pick(kinds.length === 0 || choose.chance(0.15) ? HISTORY_KINDS : kinds);
  const series = ownSeries(kind);
  const query = { kind, ...pickRange(asking, turnsOf(asking, series)), ...pickNarrowed(asking, kind, series) };
  return { route: 'model-history', params: { model_id }, query, isBare: choose.chance(0.2) };
}

export function askRankingsHistory(asking: Asking): ApiRequest {
  const { choose, interests, state } = asking;
  const category_id = pickId(asking, interests.categories);
  const series = [...state.world.series.rankings.values()].filter(({ key }) => key[1] === category_id);
  const query = {
    category_id,
    ...pickRange(asking, turnsOf(asking, series)),
    ...pickSome(asking, { top: [0.7, () => String(choose.pick([1, 2, 3, 4, 5, 7, 10, 11, 20, 35, 49, 50]))] }),
  };
  return { route: 'rankings-history', params: {}, query };
}

/** Narrowed mostly to one of the model's own series; now and then with the parameter of another kind, which is ignored. */
function pickNarrowed(asking: Asking, kind: HistoryKind, series: readonly Series[]): Parameters {
  const { choose, interests } = asking;
  const own = series.map(({ key }) => key[1] ?? '');
  const all = { benchmark_id: interests.benchmarks, category_id: interests.categories, provider: interests.providers };
  const narrowing = (name: keyof typeof all) => {
    const isOwn = KINDS[kind].narrowedBy === name;
    return [isOwn ? 0.45 : 0.1, () => pickId(asking, isOwn && choose.chance(0.8) ? own : all[name])] as const;
  };
  return pickSome(asking, {
    benchmark_id: narrowing('benchmark_id'),
    category_id: narrowing('category_id'),
    provider: narrowing('provider'),
  });
}

/** Where one of these series begins, ends, changes or breaks off. */
function turnsOf({ choose }: Asking, series: readonly Series[]): readonly Day[] {
  if (series.length === 0) return [];
  const { days, values } = choose.pick(series);
  const isTurn = (day: Day, i: number) => values[i] !== values[i - 1] || days[i - 1] !== addDays(day, -1);
  return [...days.filter(isTurn), ...days.slice(-1)];
}
