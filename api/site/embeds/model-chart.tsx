import type { JSX } from 'preact';
import { HistoryChart, priceSeries, RankChart, rankSeriesOfModel, scoreSeries } from '../../charts/history-chart.tsx';
import type { Benchmark, ModelDetail, ShownMetric } from '../model.ts';
import type { ShownHistory } from './frame.ts';

interface ModelChartProps {
  readonly model: ModelDetail;
  readonly benchmarks: readonly Benchmark[];
  readonly shown: ShownMetric;
  readonly history: ShownHistory;
}

/** The history of a model's rank, price or score. */
export function ModelChart({ model, benchmarks, shown, history }: ModelChartProps): JSX.Element {
  const { metric, series } = shown;
  switch (metric) {
    case 'rank':
      return <Ranks category={series} {...history} />;
    case 'score':
      return <Scores benchmark={benchmarks.find((one) => one.id === series)?.name ?? series} {...history} />;
    case 'price':
      return <Prices provider={series} currency={currencyAt(series, model)} {...history} />;
  }
}

/** A page has one chart. */
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

/** For a former provider US dollars, which nearly all use. */
function currencyAt(provider: string, { pricing }: ModelDetail): string {
  return pricing.find((price) => price.provider === provider)?.currency ?? 'USD';
}
