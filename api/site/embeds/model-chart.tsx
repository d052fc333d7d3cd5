import type { JSX } from 'preact';
import { HistoryChart, RankChart } from '../../charts/history-chart.tsx';
import { priceSeries, rankSeriesOfModel, scoreSeries } from '../../charts/history-series.ts';
import { modelHistoryRoute } from '../../data/routes/history/model-history.ts';
import type { Benchmark, Metric, ModelDetail, ShownMetric } from '../model.ts';
import type { PublicContext } from '../public-route.ts';
import { askHistory, type ShownHistory } from './frame.ts';

/** How the API calls the history of a metric, and the parameter that names its series. */
const KINDS: Readonly<Record<Metric, readonly [kind: string, parameter: string]>> = {
  rank: ['ranking', 'category_id'],
  score: ['score', 'benchmark_id'],
  price: ['pricing', 'provider'],
};

/** What is recorded of a metric of a model; undefined where no history is shown. Rejects with `not_found` where the series never was. */
export function askModelHistory(
  { id }: ModelDetail,
  { metric, series }: ShownMetric,
  context: PublicContext,
): Promise<ShownHistory | undefined> {
  const [kind, parameter] = KINDS[metric];
  return askHistory(modelHistoryRoute, { params: { model_id: id }, query: { kind, [parameter]: series } }, context);
}

export interface ModelChartProps {
  readonly model: ModelDetail;
  readonly benchmarks: readonly Benchmark[];
  readonly shown: ShownMetric;
  readonly history: ShownHistory;
}

/** How a model came to where it stands. */
export function ModelChart({ model, benchmarks, shown, history }: ModelChartProps): JSX.Element {
  const { metric, series } = shown;
  switch (metric) {
    case 'rank':
      return <Ranks category={series} {...history} />;
    case 'score':
      return <Scores benchmark={benchmarks.find(({ id }) => id === series)?.name ?? series} {...history} />;
    case 'price':
      return <Prices provider={series} currency={currencyAt(series, model)} {...history} />;
  }
}

/** There is one chart on a page. */
const ID = 'history';

function Ranks({ category, points, ...days }: ShownHistory & { readonly category: string }): JSX.Element {
  const series = rankSeriesOfModel(points, [{ category, rank: 1 }]);
  return <RankChart id={ID} title={`Rank in ${category}`} series={series} {...days} />;
}

function Scores({ benchmark, points, ...days }: ShownHistory & { readonly benchmark: string }): JSX.Element {
  const series = scoreSeries(benchmark, points);
  return (
    <HistoryChart id={ID} title={`Score in ${benchmark}`} unit="score" series={series} fromZero={false} {...days} />
  );
}

interface PricesProps extends ShownHistory {
  readonly provider: string;
  readonly currency: string;
}

function Prices({ provider, currency, points, ...days }: PricesProps): JSX.Element {
  return (
    <HistoryChart
      id={ID}
      title={`Price at ${provider}`}
      unit={`${currency} per 1 M tokens`}
      kind={currency === 'USD' ? 'money' : 'number'}
      series={priceSeries(points)}
      {...days}
    />
  );
}

/** The currency of a provider's price now; of one that sells it no more nobody says, and nearly all are in US dollars. */
function currencyAt(provider: string, { pricing }: ModelDetail): string {
  return pricing.find((price) => price.provider === provider)?.currency ?? 'USD';
}
