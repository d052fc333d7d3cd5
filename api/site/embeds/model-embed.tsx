import type { JSX } from 'preact';
import { z } from 'zod';
import { formatDay, formatMoney, formatNumber } from '../../charts/format.ts';
import { HistoryChart, priceSeries, RankChart, rankSeriesOfModel, scoreSeries } from '../../charts/history-chart.tsx';
import { assertKnown } from '../../data/queries/conditions.ts';
import { idOf, oneOf } from '../../data/responses/parameters.ts';
import { modelHistoryRoute } from '../../data/routes/model-history.ts';
import { modelRoute } from '../../data/routes/models.ts';
import { HttpError, notFound } from '../../server/errors/http-error.ts';
import {
  askBenchmarks,
  type Benchmark,
  cheapest,
  findMetricProblems,
  METRICS,
  type Metric,
  type ModelDetail,
  type Price,
  type ShownMetric,
  shownMetricOf,
  standings,
} from '../model.ts';
import type { PublicContext } from '../public-route.ts';
import { embedOf, THEME } from './embed.tsx';
import { askHistory, hasHistories, type ShownHistory } from './frame.ts';

/** What is said where the metric that was asked for, or any, is not there. */
const NOTHING: Readonly<Record<Metric | 'any', string>> = {
  rank: 'It is ranked nowhere.',
  score: 'It has no scores.',
  price: 'Nobody sells it, as far as we know.',
  any: 'It has neither ranks nor prices nor scores yet.',
};

/** `GET /embed/models/{id}`: what a model is, and how its rank, its price or a score became what it is. */
export const modelEmbed = embedOf({
  folder: 'models',
  query: z.object({
    ...THEME,
    metric: oneOf(METRICS, { description: 'What the chart shows; default: the rank', example: 'price' }).optional(),
    category: idOf('category', 'Whose ranks; default: where it stands best', 'text').optional(),
    benchmark: idOf(
      'benchmark',
      'Whose scores; default: that of its benchmarks in which most models have a score',
      'aider-polyglot--percent-correct',
    ).optional(),
    provider: idOf('provider', 'Whose prices; default: the lowest input price', 'openai').optional(),
  }),
  check: findMetricProblems,
  heights: { wide: 600, narrow: 680, withoutChart: 250 },
  titleOf: async (model, context) => (await findModel(model, context)).name,
  draw: async (request, context) => {
    const model = await findModel(request.id, context);
    const benchmarks = await askBenchmarks(context.ask);
    const shown = shownMetricOf(model, benchmarks, request.query);
    const history = shown && (await askModelHistory(model, shown, context));
    return (
      <>
        <h1 dir="auto" title={model.name}>
          {model.name}
        </h1>
        {model.organization !== null && (
          <p class="by" dir="auto" title={model.organization}>
            {model.organization}
          </p>
        )}
        <ModelFacts model={model} />
        {shown !== undefined && history !== undefined && (
          <ModelChart model={model} benchmarks={benchmarks} shown={shown} history={history} />
        )}
        {shown === undefined && hasHistories(context) && <p class="note">{NOTHING[request.query.metric ?? 'any']}</p>}
      </>
    );
  },
});

/** Rejects with `not_found`, which tells a model that is gone from one that never was. */
async function findModel(model: string, { ask, view }: PublicContext): Promise<ModelDetail> {
  try {
    return await ask(modelRoute, { params: { id: model } });
  } catch (error) {
    if (!(error instanceof HttpError && error.status === 404)) throw error;
    await assertKnown(view, 'model', { id: model, param: 'id' });
    throw notFound('id', 'This model is no longer listed');
  }
}

/** So many ranks are told, the best ones: as many as there is room for in half a line. */
const RANKS_MAX = 2;

/** What is known of a model, in a few lines; what isn't is left out. */
function ModelFacts({ model }: { readonly model: ModelDetail }): JSX.Element | null {
  const facts = factsOf(model);
  if (facts.length === 0) return null;
  return (
    <dl class="facts">
      {facts.map(({ label, text, room }) => (
        <div class={room}>
          <dt>{label}</dt>
          <dd dir="auto" title={text}>
            {text}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ModelFact {
  readonly label: string;
  readonly text: string;
  /** Whether it needs a whole line in narrow frames. */
  readonly room?: 'wide';
}

function factsOf(model: ModelDetail): readonly ModelFact[] {
  const { context_length: context, release_date: released } = model;
  const price = cheapest(model.pricing);
  const ranks = standings(model.rankings).slice(0, RANKS_MAX);
  const facts: ModelFact[] = [];
  if (context !== null) facts.push({ label: 'Context', text: `${formatNumber(context)} tokens` });
  if (released !== null) facts.push({ label: 'Released', text: formatDay(released) });
  if (price !== undefined)
    facts.push({ label: 'Lowest price per 1 M tokens', text: priceInWords(price), room: 'wide' });
  if (ranks.length > 0) facts.push({ label: 'Best ranks', text: ranks.map(rankInWords).join(', '), room: 'wide' });
  return facts;
}

/** `$2.50 in, $12.50 out (nimbus)`. */
function priceInWords({ provider, currency, input_per_million: input, output_per_million: output }: Price): string {
  const parts = [
    ...(input === null ? [] : [`${formatPrice(input, currency)} in`]),
    ...(output === null ? [] : [`${formatPrice(output, currency)} out`]),
  ];
  return `${parts.join(', ')} (${provider})`;
}

function formatPrice(value: number, currency: string): string {
  return currency === 'USD' ? formatMoney(value) : `${formatNumber(value)} ${currency}`;
}

function rankInWords({ rank, category }: { readonly rank: number; readonly category: string }): string {
  return `#${formatNumber(rank)} in ${category}`;
}

/** How the API calls the history of a metric, and the parameter that names its series. */
const KINDS: Readonly<Record<Metric, readonly [kind: string, parameter: string]>> = {
  rank: ['ranking', 'category_id'],
  score: ['score', 'benchmark_id'],
  price: ['pricing', 'provider'],
};

/** What is recorded of a metric of a model; undefined where no history is shown. Rejects with `not_found` where the series never was. */
function askModelHistory(
  { id: modelId }: ModelDetail,
  { metric, series }: ShownMetric,
  context: PublicContext,
): Promise<ShownHistory | undefined> {
  const [kind, parameter] = KINDS[metric];
  return askHistory(
    modelHistoryRoute,
    { params: { model_id: modelId }, query: { kind, [parameter]: series } },
    context,
  );
}

interface ModelChartProps {
  readonly model: ModelDetail;
  readonly benchmarks: readonly Benchmark[];
  readonly shown: ShownMetric;
  readonly history: ShownHistory;
}

/** How a model came to where it stands. */
function ModelChart({ model, benchmarks, shown, history }: ModelChartProps): JSX.Element {
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
