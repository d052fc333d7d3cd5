import { HISTORY_KINDS } from '../answers/model-history.ts';
import type { ApiRequest } from '../request.ts';
import { type Asking, pickId, pickModel, pickSome } from './asking.ts';
import { pickRange } from './ranges.ts';

export function askModelHistory(asking: Asking): ApiRequest {
  const { choose, interests } = asking;
  const model_id = pickModel(asking);
  const narrowed = pickSome(asking, {
    benchmark_id: [0.25, () => pickId(asking, ownSeries(asking, 'scores', model_id) ?? interests.benchmarks)],
    category_id: [0.25, () => pickId(asking, ownSeries(asking, 'rankings', model_id) ?? interests.categories)],
    provider: [0.25, () => pickId(asking, ownSeries(asking, 'pricing', model_id) ?? interests.providers)],
  });
  const query = { kind: pickKind(asking, model_id), ...pickRange(asking), ...narrowed };
  return { route: 'model-history', params: { model_id }, query, isBare: choose.chance(0.2) };
}

export function askRankingsHistory(asking: Asking): ApiRequest {
  const { choose, interests } = asking;
  const query = {
    category_id: pickId(asking, interests.categories),
    ...pickRange(asking),
    ...pickSome(asking, { top: [0.7, () => String(choose.pick([1, 2, 3, 4, 5, 7, 10, 11, 20, 35, 49, 50]))] }),
  };
  return { route: 'rankings-history', params: {}, query };
}

/** Mostly a kind of which the model has points. */
function pickKind({ choose, state }: Asking, model: string): string {
  const datasets = { score: 'scores', ranking: 'rankings', pricing: 'pricing', metadata: 'models' } as const;
  const kinds = HISTORY_KINDS.filter((kind) =>
    [...state.world.series[datasets[kind]].values()].some(({ key }) => key[0] === model),
  );
  return kinds.length === 0 || choose.chance(0.15) ? choose.pick(HISTORY_KINDS) : choose.pick(kinds);
}

/** The benchmarks, categories or providers of which the model has points; now and then undefined: any. */
function ownSeries({ choose, state }: Asking, dataset: 'scores' | 'rankings' | 'pricing', model: string) {
  if (choose.chance(0.15)) return undefined;
  const own = [...state.world.series[dataset].values()].filter(({ key }) => key[0] === model);
  return own.length === 0 ? undefined : own.map(({ key }) => key[1] ?? '');
}
