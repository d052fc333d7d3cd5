import { z } from 'zod';
import { modelRoute } from '../../api/routes/current/model.ts';
import { RequestInvalid } from '../../http/errors/validation.ts';
import type { Body } from '../exchange.ts';
import { TOKENS_MAX, tokensOf } from '../text/size.ts';
import { type Columns, cell, type Row, rowsOf, table } from '../text/table.ts';
import type { Found } from '../text/telling.ts';
import { asOf, lines } from '../text/told.ts';
import { argumentsSchema } from './json-schemas.ts';
import { outputSchemaOf } from './output-schema.ts';
import { assertKnownArguments } from './route-tool.ts';
import type { Tool } from './tool.ts';

/** The most that are compared at once: each is an answer of its own, and wider tables are hard to read. */
const MODELS_MAX = 6;

const ArgumentsSchema = z.object({
  ids: z
    .array(z.string())
    .min(2)
    .max(MODELS_MAX)
    .describe('Exact ids of different models, in the order of the columns'),
});

/** As get-model has one; what else it holds is told there. */
const ComparedSchema = z.looseObject({ id: z.string() });

export const compareModelsTool: Tool = {
  name: 'compare-models',
  title: 'Compare models',
  description: `Two to ${MODELS_MAX} models side by side: context length, cheapest prices, ranks, and the benchmarks that more than one has a score of. One unit per model; where one of them is refused, none is charged.`,
  access: modelRoute.access,
  inputSchema: argumentsSchema(ArgumentsSchema),
  outputSchema: outputSchemaOf(z.object({ models: z.array(ComparedSchema) })),
  call: async (args, exchange) => {
    const ids = idsFrom(args);
    // One after the other: the first that is refused ends it.
    const answers: Awaited<ReturnType<typeof exchange.ask>>[] = [];
    for (const id of ids) answers.push(await exchange.ask(modelRoute, { params: { id } }));
    const models = answers.map(({ body }) => body);
    return shortened(models, asOf(answers[0]?.dataAsOf));
  },
};

/** Throws RequestInvalid. */
function idsFrom(args: Body): readonly string[] {
  assertKnownArguments(args, ['ids']);
  const { success, data } = ArgumentsSchema.safeParse(args);
  if (success && new Set(data.ids).size === data.ids.length) return data.ids;
  const msg = `Input should be a list of 2 to ${MODELS_MAX} different ids`;
  throw new RequestInvalid([{ loc: ['query', 'ids'], msg, type: 'value_error', input: args['ids'] ?? null, ctx: {} }]);
}

/** Without the scores that only one of them has, and at last without any, where the answer is too long. */
function shortened(models: readonly Body[], when: string): Found {
  const whole = foundFrom(models, when);
  if (tokensOf(whole) <= TOKENS_MAX) return whole;
  const shared = sharedBenchmarks(models);
  const common = models.map((model) => ({
    ...model,
    scores: rowsOf(model, 'scores').filter((score) => shared.includes(String(score['benchmark_id']))),
  }));
  const note = (what: string) =>
    `${what} were left out, as the answer would have been too long; list-scores with model has all of one.`;
  const shorter = foundFrom(common, when, note('Scores that only one of them has'));
  if (tokensOf(shorter) <= TOKENS_MAX) return shorter;
  return foundFrom(
    models.map((model) => ({ ...model, scores: [] })),
    when,
    note('All scores'),
  );
}

function foundFrom(models: readonly Body[], when: string, note?: string): Found {
  const rows = [...factRows(models), ...rankRows(models), ...scoreRows(models)];
  const columns: Columns = Object.fromEntries([
    ['what', (row: Row) => row['what']],
    ...models.map((model, index) => [cell(model['id']), (row: Row) => row[index]] as const),
  ]);
  return {
    text: lines(
      `${models.length} models side by side${when}. Prices are the lowest of any provider, in USD per million tokens.`,
      table(columns, rows),
      'Scores are in the units of each benchmark, and only those that more than one of them has; get-model has all of one.',
      note,
    ),
    body: { models },
  };
}

/** A row of the table: what it shows, and by position what it is for each model. */
function rowFrom(what: string, models: readonly Body[], fill: (model: Body) => unknown): Row {
  return Object.fromEntries([['what', what], ...models.map((model, index) => [index, fill(model)])]);
}

function factRows(models: readonly Body[]): readonly Row[] {
  return [
    rowFrom('name', models, (model) => model['name']),
    rowFrom('organization', models, (model) => model['organization']),
    rowFrom('released', models, (model) => model['release_date']),
    rowFrom('context (tokens)', models, (model) => model['context_length']),
    rowFrom('input price', models, (model) => lowest(model, 'input_per_million')),
    rowFrom('output price', models, (model) => lowest(model, 'output_per_million')),
    rowFrom('providers with a price', models, (model) => rowsOf(model, 'pricing').length),
  ];
}

function lowest(model: Body, price: string): number | null {
  const prices = rowsOf(model, 'pricing').flatMap((row) => (typeof row[price] === 'number' ? [row[price]] : []));
  return prices.length === 0 ? null : Math.min(...prices);
}

function rankRows(models: readonly Body[]): readonly Row[] {
  const categories = new Set(
    models.flatMap((model) => rowsOf(model, 'rankings').map(({ category }) => String(category))),
  );
  return [...categories]
    .sort()
    .map((category) =>
      rowFrom(
        `rank in ${cell(category)}`,
        models,
        (model) => rowsOf(model, 'rankings').find((row) => row['category'] === category)?.['rank'],
      ),
    );
}

function scoreRows(models: readonly Body[]): readonly Row[] {
  return sharedBenchmarks(models).map((benchmark) =>
    rowFrom(
      `score on ${cell(benchmark)}`,
      models,
      (model) => rowsOf(model, 'scores').find((row) => row['benchmark_id'] === benchmark)?.['value'],
    ),
  );
}

/** The benchmarks that more than one has a score of, by id. */
function sharedBenchmarks(models: readonly Body[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const id of models.flatMap((model) => rowsOf(model, 'scores').map((row) => String(row['benchmark_id']))))
    counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].flatMap(([id, count]) => (count > 1 ? [id] : [])).sort();
}
