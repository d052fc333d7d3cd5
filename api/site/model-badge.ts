/** Badges of models (specification "Badges"): pure functions of the API's responses. */
import { z } from 'zod';
import type { RecordOf } from '../../schemas/datasets.ts';
import { formatMoney, formatNumber } from '../charts/format.ts';
import type { BodyOf } from '../data/responses/data-route.ts';
import { freeText, idOf, oneOf } from '../data/responses/parameters.ts';
import { modelRoute } from '../data/routes/models.ts';
import { categoriesRoute } from '../data/routes/rankings.ts';
import { RequestInvalid } from '../server/errors/http-error.ts';
import { BADGE_STYLES, badgeRoutes } from './badge.ts';
import {
  type Benchmark,
  cheapest,
  fetchBenchmarks,
  findMetricProblems,
  METRICS,
  type ModelDetail,
  type Price,
  type Ranking,
  sortByRank,
} from './model.ts';
import { isolated, plainText } from './plain-text.ts';
import type { FetchPublic } from './public-route.ts';

/** In characters, before it is cut for display. */
const LABEL_LENGTH_MAX = 100;
/** Only these, so that nothing else gets into the SVG. */
const COLOR =
  /^(?:[0-9a-f]{3}|[0-9a-f]{6}|brightgreen|green|yellow|yellowgreen|orange|red|blue|grey|gray|lightgrey|lightgray)$/i;

const BadgeQuerySchema = z.object({
  metric: oneOf(METRICS, { description: 'The figure on the badge' }).default('rank').meta({ default: 'rank' }),
  category: idOf('category', 'With metric=rank: the category; default: its best one', 'code').optional(),
  benchmark: idOf(
    'benchmark',
    'With metric=score: the benchmark; default: of its benchmarks the one with the most models',
    'aider-polyglot--percent-correct',
  ).optional(),
  provider: idOf(
    'provider',
    'With metric=price: the provider; default: the one with the lowest input price',
    'openai',
  ).optional(),
  label: freeText({
    max: LABEL_LENGTH_MAX,
    description: "Replaces the model's name",
    example: 'our model',
  }).optional(),
  style: oneOf(BADGE_STYLES, { description: 'A style of shields.io' }).default('flat').meta({ default: 'flat' }),
  color: z
    .string()
    .regex(COLOR, 'Input should be 3 or 6 hexadecimal digits, or the name of a colour of shields.io')
    .meta({
      description: 'Background of the figure: 3 or 6 hexadecimal digits, or the name of a colour of shields.io',
      example: '2450c4',
    })
    .optional(),
});
type BadgeQuery = z.infer<typeof BadgeQuerySchema>;

export const modelBadgeRoutes = badgeRoutes({
  path: '/badges/models/:id',
  operationId: 'getModelBadge',
  summary: "A model's rank, score or price as a badge",
  params: z.object({ id: idOf('model', 'The model; encode a slash as %2F', 'gpt-5.4-mini') }),
  query: BadgeQuerySchema,
  badge: async ({ params, query }, { fetchRoute }) => {
    const problems = findMetricProblems(query);
    if (problems.length > 0) throw new RequestInvalid(problems);
    const model = await fetchRoute(modelRoute, { params });
    const { message, isFigure } = await messageOf(model, query, fetchRoute);
    const { label = plainText(model.name) || model.id, color = 'blue', style } = query;
    return { label, message, color: isFigure ? color : 'lightgrey', style };
  },
});

async function messageOf(model: ModelDetail, query: BadgeQuery, fetchRoute: FetchPublic): Promise<BadgeMessage> {
  switch (query.metric) {
    case 'rank': {
      const { categories } = await fetchRoute(categoriesRoute, {});
      return rankMessage(model.rankings, categories, query.category);
    }
    case 'score':
      return scoreMessage(model.scores, await fetchBenchmarks(fetchRoute), query.benchmark);
    case 'price':
      return priceMessage(model.pricing, query.provider);
  }
}

type Category = BodyOf<typeof categoriesRoute>['categories'][number];

export type Score = Pick<RecordOf<'scores'>, 'benchmark_id' | 'value'>;

/** `isFigure` is false if the message says that there is none. */
export interface BadgeMessage {
  readonly message: string;
  readonly isFigure: boolean;
}

/** `#3 of 214 in coding`; default: the best category, of several the first by id. */
export function rankMessage(
  ranks: readonly Ranking[],
  categories: readonly Category[],
  requested: string | undefined,
): BadgeMessage {
  const [best] = sortByRank(ranks.filter(({ category }) => requested === undefined || category === requested));
  if (best === undefined)
    return noFigure(requested === undefined ? 'not ranked' : `not ranked in ${quoted(requested)}`);
  const count = categories.find((category) => category.id === best.category)?.model_count;
  const of = count === undefined ? '' : ` of ${formatNumber(count)}`;
  return figure(`#${formatNumber(best.rank)}${of} in ${quoted(best.category)}`);
}

/**
 * `88.4 on Aider Polyglot`; default: the model's benchmark with the most models, of several the first by id.
 *
 * @param benchmarks all, in that order
 */
export function scoreMessage(
  scores: readonly Score[],
  benchmarks: readonly Benchmark[],
  requested: string | undefined,
): BadgeMessage {
  const measured = new Map(scores.map((one) => [one.benchmark_id, one]));
  const benchmark = benchmarks.find((one) => (requested === undefined ? measured.has(one.id) : one.id === requested));
  const score = measured.get(requested ?? benchmark?.id ?? '');
  const name = quoted(benchmark?.name ?? requested ?? '');
  if (score === undefined) return noFigure(requested === undefined ? 'no score' : `no score on ${name}`);
  return figure(`${formatNumber(score.value)} on ${name}`);
}

/** `$3 / $15 per 1M`: input and output; default: as {@link cheapest}, with its provider if there are several. */
export function priceMessage(prices: readonly Price[], requested: string | undefined): BadgeMessage {
  const best = cheapest(prices.filter(({ provider }) => requested === undefined || provider === requested));
  if (best === undefined) return noFigure(requested === undefined ? 'no price' : `no price at ${quoted(requested)}`);
  const isOneOfSome = requested !== undefined || prices.length > 1;
  return figure(`${amountsOf(best)} per 1M${isOneOfSome ? ` at ${quoted(best.provider)}` : ''}`);
}

const DOLLARS = 'USD';

function amountsOf({ input_per_million: input, output_per_million: output, currency }: Price): string {
  const isDollars = currency === DOLLARS;
  const written = (amount: number) => {
    const money = formatMoney(amount).replace(/\.00$/, '');
    return isDollars ? money : money.replace('$', '');
  };
  const unit = isDollars ? '' : ` ${quoted(currency)}`;
  if (input === null || output === null)
    return `${written(input ?? output ?? 0)}${unit} ${input === null ? 'output' : 'input'}`;
  return `${written(input)} / ${written(output)}${unit}`;
}

/** Others' names inside a message. */
function quoted(name: string): string {
  return isolated(plainText(name));
}

function figure(message: string): BadgeMessage {
  return { message, isFigure: true };
}

function noFigure(message: string): BadgeMessage {
  return { message, isFigure: false };
}
