import { lifecycleRoute } from '../../data/routes/lifecycle.ts';
import { modelRoute, modelsRoute } from '../../data/routes/models.ts';
import { pricingRoute } from '../../data/routes/pricing.ts';
import { categoriesRoute, rankingsRoute } from '../../data/routes/rankings.ts';
import { benchmarksRoute, scoresRoute } from '../../data/routes/scores.ts';
import { updatesRoute } from '../../data/routes/updates.ts';
import { HttpError, notFound } from '../../server/errors/http-error.ts';
import type { Exchange } from '../exchange.ts';
import {
  BENCHMARK_COLUMNS,
  type Columns,
  cell,
  LIFECYCLE_COLUMNS,
  MODEL_COLUMNS,
  PRICE_COLUMNS,
  RANK_COLUMNS,
  RATE_COLUMNS,
  rowsOf,
  SCORE_COLUMNS,
  table,
} from '../table.ts';
import { asOf, countedLine, lines, pageLine, type TextInput } from '../tool-text.ts';
import { type RouteToolDefinition, routeTool } from './route-tool.ts';
import type { Tool } from './tool.ts';

interface ListToolDefinition extends Omit<RouteToolDefinition, 'text' | 'rows'> {
  readonly rows: string;
  /** The rows' name, in the plural. */
  readonly noun: string;
  readonly columns: Columns;
  /** Columns of fields that only some lists have; default: none. */
  readonly extra?: Readonly<Record<string, string>>;
  /** What to call next. */
  readonly next?: string;
}

/** A tool that returns a page of a list. */
function listTool({ noun, columns, extra = {}, next, descriptions = {}, ...definition }: ListToolDefinition): Tool {
  const { rows } = definition;
  return routeTool({
    ...definition,
    descriptions: { cursor: '', limit: '', ...descriptions }, // The instructions describe pages.
    text: (input) => {
      const found = rowsOf(input.body, rows);
      const present = Object.entries(extra).filter(([, field]) => found.some((row) => row[field] !== undefined));
      const all = { ...columns, ...Object.fromEntries(present) };
      const shown = found.length === 0 ? `No ${noun} match.` : table(all, found);
      return lines(countedLine(input, { rows, noun }), shown, input.hint ?? pageLine(input), next);
    },
  });
}

/** The instructions say it: every agent reads this. */
const SORT_DESCRIPTION = '';

export const CURRENT_TOOLS: readonly Tool[] = [
  listTool({
    name: 'list-models',
    title: 'List models',
    description: 'AI models that meet filters.',
    route: modelsRoute,
    descriptions: {
      q: 'Part of id, name or alias',
      alias: 'Exact name at an upstream, or id',
      organization: '',
      provider: '',
      min_context: 'Tokens',
      released_after: '',
      released_before: '',
      max_input_price: 'At some provider, per million',
      max_output_price: 'At the same provider',
      include: '',
      sort: 'Default with q: relevance',
    },
    prepare: async ({ sort, ...args }) => ({
      ...args,
      sort: sort ?? ((args['q'] ?? null) === null ? 'id' : 'relevance'),
    }),
    rows: 'models',
    noun: 'models',
    columns: MODEL_COLUMNS,
    extra: { removed: 'removed_at' },
    next: 'For scores, ranks and prices call get-model with an id.',
  }),
  routeTool({
    name: 'get-model',
    title: 'Get one model',
    description: 'One model with all its scores, ranks and prices per provider.',
    route: modelRoute,
    descriptions: { model: '' },
    rows: 'scores',
    text: modelText,
  }),
  listTool({
    name: 'list-benchmarks',
    title: 'List benchmarks',
    description: 'Benchmarks with their numbers of scored models.',
    route: benchmarksRoute,
    rows: 'benchmarks',
    descriptions: { category: '' },
    noun: 'benchmarks',
    columns: BENCHMARK_COLUMNS,
    next: 'For its best models call list-scores with benchmark and sort "-value".',
  }),
  listTool({
    name: 'list-scores',
    title: 'List scores',
    description:
      'Benchmark scores that meet filters. For the best models of one benchmark give benchmark and sort "-value".',
    route: scoresRoute,
    descriptions: {
      model: '',
      benchmark: '',
      source: '',
      min_value: '',
      max_value: '',
      measured_after: '',
      measured_before: '',
      sort: SORT_DESCRIPTION,
    },
    rows: 'scores',
    noun: 'scores',
    columns: { model: 'model_id', ...SCORE_COLUMNS },
  }),
  listTool({
    name: 'list-prices',
    title: 'List prices',
    description: 'Prices per provider that meet filters. For the cheapest give sort "price".',
    route: pricingRoute,
    descriptions: {
      model: '',
      provider: '',
      meter: 'Bounds and order are by it, else by input',
      min_price: 'Per million tokens, or each request',
      max_price: '',
      sort: SORT_DESCRIPTION,
    },
    rows: 'pricing',
    noun: 'prices',
    columns: { model: 'model_id', ...PRICE_COLUMNS, ...RATE_COLUMNS },
  }),
  listTool({
    name: 'list-lifecycle',
    title: 'List dates of retirement',
    description: 'Deprecations and retirements ahead, or all of the given models, with replacements.',
    route: lifecycleRoute,
    descriptions: { days: '', from: '', model: 'Ids, comma-separated', organization: '', event: '' },
    rows: 'lifecycle',
    noun: 'dates',
    columns: LIFECYCLE_COLUMNS,
  }),
  listTool({
    name: 'get-rankings',
    title: 'Get a ranking',
    description: 'The models of one category, best first.',
    route: rankingsRoute,
    descriptions: { category: '' },
    hint: async ({ body }, exchange) => (body['total'] === 0 ? rankedCategories(exchange) : undefined),
    explain: async (error, exchange) =>
      error instanceof HttpError && error.code === 'not_found'
        ? notFound('category', `${error.message}. ${await rankedCategories(exchange)}`)
        : undefined,
    rows: 'rankings',
    noun: 'ranked models',
    columns: { model: 'model_id', ...RANK_COLUMNS },
    next: 'For earlier days call get-rankings-history.',
  }),
  listTool({
    name: 'list-updates',
    title: 'List new models',
    description: 'Models added within the last days, newest first.',
    route: updatesRoute,
    descriptions: { days: '' },
    rows: 'models',
    noun: 'new models',
    columns: { 'added on': (row) => cell(row['added_at']).slice(0, 10), ...MODEL_COLUMNS },
  }),
];

/** The ranked categories, to help after an unknown one: no tool lists them. */
async function rankedCategories(exchange: Exchange): Promise<string> {
  const { body: all } = await exchange.fetchFree(categoriesRoute, {});
  const ids = rowsOf(all, 'categories').map(({ id }) => cell(id));
  return `Ranked categories are ${ids.join(', ')}.`;
}

function modelText({ body, dataAsOf, cut }: TextInput): string {
  const [scores, ranks, prices] = [rowsOf(body, 'scores'), rowsOf(body, 'rankings'), rowsOf(body, 'pricing')];
  const aliases = rowsOf(body, 'aliases').map(({ upstream, id }) => `${cell(id)} at ${cell(upstream)}`);
  return lines(
    `${cell(body['name'])}${asOf(dataAsOf)}.`,
    table(MODEL_COLUMNS, [body]),
    aliases.length === 0 ? undefined : `Also called: ${aliases.join(', ')}.`,
    `Prices, ${prices.length}:`,
    prices.length === 0 ? 'none' : table({ ...PRICE_COLUMNS, ...RATE_COLUMNS }, prices),
    `Ranks, ${ranks.length}:`,
    ranks.length === 0 ? 'none' : table({ category: 'category', ...RANK_COLUMNS }, ranks),
    `Scores, ${scores.length}:`,
    scores.length === 0 ? 'none' : table(SCORE_COLUMNS, scores),
    cut === 0
      ? undefined
      : `${cut} scores were left out because the response would be too long; list-scores with model "${cell(body['id'])}" has all of them.`,
    'For how these changed call get-history.',
  );
}
