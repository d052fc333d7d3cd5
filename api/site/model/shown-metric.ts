import { queryProblem, type RequestProblem } from '../../server/errors/http-error.ts';
import type { Benchmark } from './benchmarks.ts';
import { cheapest, type Figures, standings } from './model-detail.ts';

/** What a chart of a model can show. */
export const METRICS = ['rank', 'score', 'price'] as const;
export type Metric = (typeof METRICS)[number];

/** Which metric is shown where none is asked for: the first that there is. */
const ORDER: readonly Metric[] = ['rank', 'price', 'score'];

/** The parameter that narrows each metric. */
const NARROWED_BY = { rank: 'category', score: 'benchmark', price: 'provider' } as const;

/** A metric, and of which category, benchmark or provider: its id. */
export interface ShownMetric {
  readonly metric: Metric;
  readonly series: string;
}

export interface WantedMetric {
  readonly metric?: Metric | undefined;
  readonly category?: string | undefined;
  readonly benchmark?: string | undefined;
  readonly provider?: string | undefined;
}

/** What narrows another metric than the one that is asked for: the chart would not show what it seems to. */
export function findMetricProblems(wanted: WantedMetric): readonly RequestProblem[] {
  const metric = wanted.metric ?? narrowedMetric(wanted);
  return METRICS.flatMap((other) => {
    const name = NARROWED_BY[other];
    if (other === metric || wanted[name] === undefined) return [];
    return [queryProblem(name, wanted[name], { msg: `Only with metric=${other}`, type: 'metric_mismatch' })];
  });
}

/**
 * What the chart of a model shows: what is asked for by name, else the category in which it stands best, the provider with the lowest
 * price, that of its benchmarks in which most models have a score. Undefined where there is nothing of the metric.
 *
 * @param benchmarks all of them, those first in which most models have a score
 */
export function shownMetricOf(
  model: Figures,
  benchmarks: readonly Benchmark[],
  wanted: WantedMetric,
): ShownMetric | undefined {
  const measured = new Set(model.scores.map(({ benchmark_id: id }) => id));
  const there: Readonly<Record<Metric, string | undefined>> = {
    rank: standings(model.rankings)[0]?.category,
    score: benchmarks.find(({ id }) => measured.has(id))?.id,
    price: cheapest(model.pricing)?.provider,
  };
  const metric = wanted.metric ?? narrowedMetric(wanted) ?? ORDER.find((one) => there[one] !== undefined);
  const series = metric && (wanted[NARROWED_BY[metric]] ?? there[metric]);
  return series === undefined || metric === undefined ? undefined : { metric, series };
}

function narrowedMetric(wanted: WantedMetric): Metric | undefined {
  return ORDER.find((metric) => wanted[NARROWED_BY[metric]] !== undefined);
}
