import { z } from 'zod';
import { freeText, id, oneOf } from '../../data/answers/parameters.ts';
import { categoriesRoute } from '../../data/routes/current/categories.ts';
import { modelRoute } from '../../data/routes/current/model.ts';
import { RequestInvalid } from '../../server/errors/http-error.ts';
import { askBenchmarks } from '../model/benchmarks.ts';
import type { ModelDetail } from '../model/model-detail.ts';
import { findMetricProblems, METRICS } from '../model/shown-metric.ts';
import type { AskPublic } from '../public-route.ts';
import { plainText } from '../text/plain-text.ts';
import { badgeRoutes } from './badge-routes.ts';
import { BADGE_STYLES } from './draw-badge.ts';
import { type Words, wordsOfPrice, wordsOfRank, wordsOfScore } from './model-words.ts';

/** Longest label that can be asked for, in characters; fewer are shown. */
const LABEL_LENGTH_MAX = 100;
/** Names of shields.io, and hexadecimal digits: nothing that could be read as anything but a colour. */
const COLOR =
  /^(?:[0-9a-f]{3}|[0-9a-f]{6}|brightgreen|green|yellow|yellowgreen|orange|red|blue|grey|gray|lightgrey|lightgray)$/i;

const BadgeQuerySchema = z.object({
  metric: oneOf(METRICS, { description: 'What the badge tells of the model' })
    .default('rank')
    .meta({ default: 'rank' }),
  category: id('With metric=rank: the category; default: that in which it stands best', 'code').optional(),
  benchmark: id(
    'With metric=score: the benchmark; default: that of its benchmarks in which most models have a score',
    'aider-polyglot--percent-correct',
  ).optional(),
  provider: id('With metric=price: who sells it; default: the lowest input price', 'openai').optional(),
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
  params: z.object({ id: id('The model; encode a slash as %2F', 'gpt-5.4-mini') }),
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
