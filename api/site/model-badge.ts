/** What a badge says of a model (specification "Badges"): pure functions of what the API's routes answer. */
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
  askBenchmarks,
  type Benchmark,
  cheapest,
  findMetricProblems,
  METRICS,
  type ModelDetail,
  type Price,
  type Ranking,
  standings,
} from './model.ts';
import { isolated, plainText } from './plain-text.ts';
import type { AskPublic } from './public-route.ts';

/** Longest label that can be asked for, in characters; fewer are shown. */
const LABEL_LENGTH_MAX = 100;
/** Names of shields.io, and hexadecimal digits: nothing that could be read as anything but a colour. */
const COLOR =
  /^(?:[0-9a-f]{3}|[0-9a-f]{6}|brightgreen|green|yellow|yellowgreen|orange|red|blue|grey|gray|lightgrey|lightgray)$/i;

const BadgeQuerySchema = z.object({
  metric: oneOf(METRICS, { description: 'What the badge tells of the model' })
    .default('rank')
    .meta({ default: 'rank' }),
  category: idOf(
    'category',
    'With metric=rank: the category; default: that in which it stands best',
    'code',
  ).optional(),
  benchmark: idOf(
    'benchmark',
    'With metric=score: the benchmark; default: that of its benchmarks in which most models have a score',
    'aider-polyglot--percent-correct',
  ).optional(),
  provider: idOf('provider', 'With metric=price: who sells it; default: the lowest input price', 'openai').optional(),
  label: freeText({
    max: LABEL_LENGTH_MAX,
    description: "In place of the model's name",
    example: 'our model',
  }).optional(),
  style: oneOf(BADGE_STYLES, { description: 'As shields.io has it' }).default('flat').meta({ default: 'flat' }),
  color: z
    .string()
    .regex(COLOR, 'Input should be 3 or 6 hexadecimal digits, or the name of a colour that shields.io knows')
    .meta({
      description: 'Behind the message, where there is something to tell: 3 or 6 hexadecimal digits, or a name',
      example: '2450c4',
    })
    .optional(),
});
type BadgeQuery = z.infer<typeof BadgeQuerySchema>;

/** One figure of a model. */
export const modelBadgeRoutes = badgeRoutes({
  path: '/badges/models/:id',
  operationId: 'getModelBadge',
  summary: "A model's rank, score or price as a badge",
  params: z.object({ id: idOf('model', 'The model; encode a slash as %2F', 'gpt-5.4-mini') }),
  query: BadgeQuerySchema,
  badge: async ({ params, query }, { ask }) => {
    const problems = findMetricProblems(query);
    if (problems.length > 0) throw new RequestInvalid(problems);
    const model = await ask(modelRoute, { params });
    const { message, isFigure } = await wordsOf(model, query, ask);
    const { label = plainText(model.name) || model.id, color = 'blue', style } = query;
    return { label, message, color: isFigure ? color : 'lightgrey', style };
  },
});

async function wordsOf(model: ModelDetail, query: BadgeQuery, ask: AskPublic): Promise<Words> {
  switch (query.metric) {
    case 'rank': {
      const { categories } = await ask(categoriesRoute, {});
      return wordsOfRank(model.rankings, categories, query.category);
    }
    case 'score':
      return wordsOfScore(model.scores, await askBenchmarks(ask), query.benchmark);
    case 'price':
      return wordsOfPrice(model.pricing, query.provider);
  }
}

type Category = BodyOf<typeof categoriesRoute>['categories'][number];

export type Score = Pick<RecordOf<'scores'>, 'benchmark_id' | 'value'>;

/** What a badge says behind the name, and whether that is a figure: else it says that there is none. */
export interface Words {
  readonly message: string;
  readonly isFigure: boolean;
}

/** `#3 of 214 in coding`; where no category is asked for, that in which it stands best, of several the first by id. */
export function wordsOfRank(
  ranks: readonly Ranking[],
  categories: readonly Category[],
  asked: string | undefined,
): Words {
  const [best] = standings(ranks.filter(({ category }) => asked === undefined || category === asked));
  if (best === undefined) return noFigure(asked === undefined ? 'not ranked' : `not ranked in ${quoted(asked)}`);
  const count = categories.find((category) => category.id === best.category)?.model_count;
  const of = count === undefined ? '' : ` of ${formatNumber(count)}`;
  return figure(`#${formatNumber(best.rank)}${of} in ${quoted(best.category)}`);
}

/**
 * `88.4 on Aider Polyglot`; where no benchmark is asked for, that in which most models have a score, for it is the one that most
 * people know and can compare by; of several the first by id.
 *
 * @param benchmarks all of them, in that order
 */
export function wordsOfScore(
  scores: readonly Score[],
  benchmarks: readonly Benchmark[],
  asked: string | undefined,
): Words {
  const measured = new Map(scores.map((one) => [one.benchmark_id, one]));
  const benchmark = benchmarks.find((one) => (asked === undefined ? measured.has(one.id) : one.id === asked));
  const score = measured.get(asked ?? benchmark?.id ?? '');
  const name = quoted(benchmark?.name ?? asked ?? '');
  if (score === undefined) return noFigure(asked === undefined ? 'no score' : `no score on ${name}`);
  return figure(`${formatNumber(score.value)} on ${name}`);
}

/**
 * `$3 / $15 per 1M`: input and output; where no provider is asked for, the lowest for input, and its provider where several sell it.
 * Amounts of different currencies can't be compared: those in US dollars come first, then the others by their code.
 */
export function wordsOfPrice(prices: readonly Price[], asked: string | undefined): Words {
  const best = cheapest(prices.filter(({ provider }) => asked === undefined || provider === asked));
  if (best === undefined) return noFigure(asked === undefined ? 'no price' : `no price at ${quoted(asked)}`);
  const isOneOfSome = asked !== undefined || prices.length > 1;
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

/** What others call a thing, within a message. */
function quoted(name: string): string {
  return isolated(plainText(name));
}

function figure(message: string): Words {
  return { message, isFigure: true };
}

function noFigure(message: string): Words {
  return { message, isFigure: false };
}
