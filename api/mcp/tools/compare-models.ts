import { z } from 'zod';
import { modelRoute } from '../../data/routes/models.ts';
import { HttpError, notFound, RequestInvalid } from '../../server/errors/http-error.ts';
import { argumentProblem, type Body, type Exchange, type RouteBody } from '../exchange.ts';
import { type Columns, cell, type Row, rowsOf, table } from '../table.ts';
import { asOf, type Found, fits, lines } from '../tool-text.ts';
import { assertKnownArguments } from './route-tool.ts';
import { argumentsSchema, outputSchemaOf, type Tool } from './tool.ts';

/** Each model costs a call, and wider tables are hard to read. */
const MODELS_MAX = 10;

const ArgumentsSchema = z.object({
  models: z.array(z.string()).min(2).max(MODELS_MAX),
});

const FactsSchema = z.object({
  id: z.string(),
  name: z.string(),
  organization: z.string().nullable(),
  release_date: z.string().nullable(),
  context_length: z.int().nullable(),
});
const Price = z.number().nullable();

/** `ranks` and `values` have one element per model, in the requested order; null: none. */
const ComparisonSchema = z.object({
  models: z.array(
    FactsSchema.extend({
      lowest_input_per_million: Price,
      lowest_output_per_million: Price,
      currency: z.string().nullable(),
      providers_with_price: z.int(),
    }),
  ),
  rankings: z.array(z.object({ category: z.string(), ranks: z.array(z.int().nullable()) })),
  scores: z.array(z.object({ benchmark_id: z.string(), values: z.array(z.number().nullable()) })),
});
type Comparison = z.infer<typeof ComparisonSchema>;

export const compareModelsTool: Tool = {
  name: 'compare-models',
  title: 'Compare models',
  description: `Two to ${MODELS_MAX} models side by side: context, lowest prices, ranks, shared benchmarks. One unit per model.`,
  access: modelRoute.access,
  inputSchema: argumentsSchema(ArgumentsSchema),
  outputSchema: outputSchemaOf(ComparisonSchema),
  call: async (args, exchange) => {
    const ids = idsFrom(args);
    // In sequence: the first refusal ends it.
    const details: RouteBody[] = [];
    for (const [index, id] of ids.entries()) details.push(await fetchModel(id, index, exchange));
    const models = details.map(({ body }) => body);
    const comparison = { models: models.map(factsOf), rankings: ranksOf(models), scores: sharedScores(models) };
    return shortened(comparison, asOf(details[0]?.dataAsOf));
  },
};

/** Throws RequestInvalid. */
function idsFrom(args: Body): readonly string[] {
  assertKnownArguments(args, ['models']);
  const { success, data } = ArgumentsSchema.safeParse(args);
  if (success && new Set(data.models).size === data.models.length && !data.models.includes('')) return data.models;
  const msg = `Input should be a list of 2 to ${MODELS_MAX} different ids`;
  throw new RequestInvalid([argumentProblem('models', args['models'], { msg, type: 'value_error' })]);
}

/** Names the id in a refusal: the tool has several, and no argument `id`. */
async function fetchModel(id: string, index: number, exchange: Exchange): Promise<RouteBody> {
  try {
    return await exchange.fetch(modelRoute, { params: { id } });
  } catch (error) {
    if (error instanceof RequestInvalid) {
      throw new RequestInvalid(error.detail.map((problem) => ({ ...problem, loc: ['arguments', 'models', index] })));
    }
    if (!(error instanceof HttpError && error.code === 'not_found' && error.options.param === 'id')) throw error;
    throw notFound('models', `There is no model ${JSON.stringify(id)}`);
  }
}

/** Cuts the last scores if the response is too long. */
function shortened(comparison: Comparison, when: string): Found {
  const { scores } = comparison;
  let found = foundFrom(comparison, when, 0);
  for (let shownCount = scores.length; shownCount > 0 && !fits(found); ) {
    shownCount = Math.floor(shownCount / 2);
    found = foundFrom({ ...comparison, scores: scores.slice(0, shownCount) }, when, scores.length - shownCount);
  }
  return found;
}

function foundFrom(comparison: Comparison, when: string, cut: number): Found {
  const { models, rankings, scores } = comparison;
  const factRows = FACTS.map(([what, field]) => ({ what, cells: models.map((model) => model[field]) }));
  const rankRows = rankings.map(({ category, ranks }) => ({ what: `rank in ${category}`, cells: ranks }));
  const scoreRows = scores.map(({ benchmark_id: benchmark, values }) => ({
    what: `score on ${benchmark}`,
    cells: values,
  }));
  const columns: Columns = Object.fromEntries([
    ['what', 'what'],
    ...models.map((model, index) => [cell(model.id), (row: Row) => Object(row['cells'])[index]] as const),
  ]);
  return {
    text: lines(
      `${models.length} models side by side${when}. Prices are the lowest of any provider, per million tokens; those in several currencies are not compared.`,
      table(columns, [...factRows, ...rankRows, ...scoreRows]),
      'Scores are in the units of each benchmark, for benchmarks that more than one model has; get-model lists all of one model.',
      cut === 0 ? undefined : `${cut} benchmarks were left out because the response would be too long.`,
    ),
    body: { ...comparison },
  };
}

const FACTS: readonly (readonly [what: string, field: keyof Comparison['models'][number]])[] = [
  ['name', 'name'],
  ['organization', 'organization'],
  ['released', 'release_date'],
  ['context (tokens)', 'context_length'],
  ['input price', 'lowest_input_per_million'],
  ['output price', 'lowest_output_per_million'],
  ['currency', 'currency'],
  ['providers with a price', 'providers_with_price'],
];

function factsOf(model: Body): Comparison['models'][number] {
  const currencies = new Set(namesIn(model, 'pricing', 'currency'));
  const [currency = null] = currencies.size === 1 ? currencies : [];
  return {
    ...FactsSchema.parse(model),
    lowest_input_per_million: currency === null ? null : lowest(model, 'input_per_million'),
    lowest_output_per_million: currency === null ? null : lowest(model, 'output_per_million'),
    currency,
    providers_with_price: rowsOf(model, 'pricing').length,
  };
}

function lowest(model: Body, price: string): number | null {
  const prices = rowsOf(model, 'pricing').flatMap((row) => (typeof row[price] === 'number' ? [row[price]] : []));
  return prices.length === 0 ? null : Math.min(...prices);
}

/** Every category that ranks one of them, by name. */
function ranksOf(models: readonly Body[]): Comparison['rankings'] {
  const categories = new Set(models.flatMap((model) => namesIn(model, 'rankings', 'category')));
  return [...categories].sort().map((category) => ({
    category,
    ranks: models.map((model) =>
      numberOf(rowsOf(model, 'rankings').find((row) => row['category'] === category)?.['rank']),
    ),
  }));
}

/** Benchmarks with scores of more than one, by id. */
function sharedScores(models: readonly Body[]): Comparison['scores'] {
  const counts = new Map<string, number>();
  for (const id of models.flatMap((model) => namesIn(model, 'scores', 'benchmark_id')))
    counts.set(id, (counts.get(id) ?? 0) + 1);
  const shared = [...counts].flatMap(([benchmark_id, count]) => (count > 1 ? [benchmark_id] : [])).sort();
  return shared.map((benchmark_id) => ({
    benchmark_id,
    values: models.map((model) =>
      numberOf(rowsOf(model, 'scores').find((row) => row['benchmark_id'] === benchmark_id)?.['value']),
    ),
  }));
}

function namesIn(model: Body, rows: string, field: string): readonly string[] {
  return rowsOf(model, rows).map((row) => String(row[field]));
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
