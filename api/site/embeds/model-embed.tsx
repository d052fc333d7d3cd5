import type { JSX } from 'preact';
import { z } from 'zod';
import { formatDay, formatMoney, formatNumber } from '../../charts/format.ts';
import { assertKnown } from '../../data/queries/conditions.ts';
import { idOf, oneOf } from '../../data/responses/parameters.ts';
import { modelHistoryRoute } from '../../data/routes/model-history.ts';
import { modelRoute } from '../../data/routes/models.ts';
import { HttpError, notFound } from '../../server/errors/http-error.ts';
import {
  cheapest,
  fetchBenchmarks,
  findMetricProblems,
  METRICS,
  type Metric,
  type ModelDetail,
  type Price,
  type ShownMetric,
  shownMetricOf,
  sortByRank,
} from '../model.ts';
import type { PublicContext } from '../public-route.ts';
import { embedOf, THEME } from './embed.tsx';
import { fetchHistory, hasHistories, type ShownHistory } from './frame.ts';

/** Shown if the requested metric, or any, is missing. */
const NOTHING: Readonly<Record<Metric | 'any', string>> = {
  rank: 'It is not ranked.',
  score: 'It has no scores.',
  price: 'No known provider offers it.',
  any: 'It has neither ranks nor prices nor scores yet.',
};

/** `GET /embed/models/{id}`: facts, and the history of a rank, price or score. */
export const modelEmbed = embedOf({
  folder: 'models',
  query: z.object({
    ...THEME,
    metric: oneOf(METRICS, { description: 'Content of the chart; default: the rank', example: 'price' }).optional(),
    category: idOf('category', 'The category; default: its best one', 'text').optional(),
    benchmark: idOf(
      'benchmark',
      'The benchmark; default: of its benchmarks the one with the most models',
      'aider-polyglot--percent-correct',
    ).optional(),
    provider: idOf('provider', 'The provider; default: the one with the lowest input price', 'openai').optional(),
  }),
  check: findMetricProblems,
  heights: { wide: 600, narrow: 680, withoutChart: 250 },
  titleOf: async (model, context) => (await findModel(model, context)).name,
  draw: async (request, context) => {
    const model = await findModel(request.id, context);
    const benchmarks = await fetchBenchmarks(context.fetchRoute);
    const shown = shownMetricOf(model, benchmarks, request.query);
    const history = shown && (await fetchModelHistory(model, shown, context));
    // Loaded with the first embed, as are the packages that draw charts.
    const { ModelChart } = await import('./model-chart.tsx');
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

/** Rejects with `not_found`, which distinguishes removed from unknown models. */
async function findModel(model: string, { fetchRoute, view }: PublicContext): Promise<ModelDetail> {
  try {
    return await fetchRoute(modelRoute, { params: { id: model } });
  } catch (error) {
    if (!(error instanceof HttpError && error.status === 404)) throw error;
    await assertKnown(view, 'model', { id: model, param: 'id' });
    throw notFound('id', 'This model is no longer listed');
  }
}

/** The best ranks that fit in half a line. */
const RANKS_MAX = 2;

/** Known facts only. */
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
  const ranks = sortByRank(model.rankings).slice(0, RANKS_MAX);
  const facts: ModelFact[] = [];
  if (context !== null) facts.push({ label: 'Context', text: `${formatNumber(context)} tokens` });
  if (released !== null) facts.push({ label: 'Released', text: formatDay(released) });
  if (price !== undefined) facts.push({ label: 'Lowest price per 1 M tokens', text: priceText(price), room: 'wide' });
  if (ranks.length > 0) facts.push({ label: 'Best ranks', text: ranks.map(rankText).join(', '), room: 'wide' });
  return facts;
}

/** `$2.50 in, $12.50 out (nimbus)`. */
function priceText({ provider, currency, input_per_million: input, output_per_million: output }: Price): string {
  const parts = [
    ...(input === null ? [] : [`${formatPrice(input, currency)} in`]),
    ...(output === null ? [] : [`${formatPrice(output, currency)} out`]),
  ];
  return `${parts.join(', ')} (${provider})`;
}

function formatPrice(value: number, currency: string): string {
  return currency === 'USD' ? formatMoney(value) : `${formatNumber(value)} ${currency}`;
}

function rankText({ rank, category }: { readonly rank: number; readonly category: string }): string {
  return `#${formatNumber(rank)} in ${category}`;
}

/** In the API: kind of history, and parameter of its series. */
const KINDS: Readonly<Record<Metric, readonly [kind: string, parameter: string]>> = {
  rank: ['ranking', 'category_id'],
  score: ['score', 'benchmark_id'],
  price: ['pricing', 'provider'],
};

/** Rejects with `not_found` if the series never existed. */
function fetchModelHistory(
  { id: modelId }: ModelDetail,
  { metric, series }: ShownMetric,
  context: PublicContext,
): Promise<ShownHistory | undefined> {
  const [kind, parameter] = KINDS[metric];
  return fetchHistory(
    modelHistoryRoute,
    { params: { model_id: modelId }, query: { kind, [parameter]: series } },
    context,
  );
}
