import { modelRoute, modelsRoute } from '../../data/routes/models.ts';
import { categoriesRoute, rankingsRoute } from '../../data/routes/rankings.ts';
import { benchmarksRoute, scoresRoute } from '../../data/routes/scores.ts';
import { updatesRoute } from '../../data/routes/updates.ts';
import { HttpError, notFound } from '../../server/errors/http-error.ts';
import type { Exchange } from '../exchange.ts';
import {
  BENCHMARK_COLUMNS,
  type Columns,
  cell,
  MODEL_COLUMNS,
  PRICE_COLUMNS,
  RANK_COLUMNS,
  rowsOf,
  SCORE_COLUMNS,
  table,
} from '../table.ts';
import { asOf, countedLine, lines, pageLine, type Telling } from '../told.ts';
import { type RouteToolDefinition, routeTool } from './route-tool.ts';
import type { Tool } from './tool.ts';

interface ListToolDefinition extends Omit<RouteToolDefinition, 'text' | 'rows'> {
  readonly rows: string;
  /** What the rows are, in the plural. */
  readonly noun: string;
  readonly columns: Columns;
  /** What can be asked next. */
  readonly next?: string;
}

/** A tool whose answer is a page of a list. */
function listTool({ noun, columns, next, words = {}, ...definition }: ListToolDefinition): Tool {
  const { rows } = definition;
  return routeTool({
    ...definition,
    words: { cursor: 'next_cursor of the page before', ...words },
    text: (telling) => {
      const found = rowsOf(telling.body, rows);
      const shown = found.length === 0 ? `No ${noun} meet this.` : table(columns, found);
      return lines(countedLine(telling, { rows, noun }), shown, telling.hint ?? pageLine(telling), next);
    },
  });
}

/** What every agent reads of an order, in as few words as will do. */
const SORT_WORDS = 'A minus turns it round';

/** What is so today. */
export const CURRENT_TOOLS: readonly Tool[] = [
  listTool({
    name: 'list-models',
    title: 'List models',
    description: 'AI models that meet filters, in pages. One unit a page.',
    route: modelsRoute,
    words: {
      q: 'Part of id, name or alias, in any case',
      alias: 'Exact name at any upstream, or id',
      released_after: 'This day or later',
      released_before: 'This day or earlier',
      max_input_price: 'Sold somewhere at this per million or less',
      max_output_price: 'The same for output; with both by one provider',
      sort: SORT_WORDS,
    },
    rows: 'models',
    noun: 'models',
    columns: MODEL_COLUMNS,
    next: 'For scores, ranks and prices call get-model with an id.',
  }),
  routeTool({
    name: 'get-model',
    title: 'Get one model',
    description:
      'One model with all its benchmark scores, ranks and prices per provider. The id must be exact: resolve-model finds it. One unit.',
    route: modelRoute,
    words: { id: 'Exact id' },
    rows: 'scores',
    text: modelText,
  }),
  listTool({
    name: 'list-benchmarks',
    title: 'List benchmarks',
    description: 'Benchmarks and how many models each has scores of; category narrows it. One unit a page.',
    route: benchmarksRoute,
    rows: 'benchmarks',
    noun: 'benchmarks',
    columns: BENCHMARK_COLUMNS,
    next: 'For its best models call list-scores with benchmark and sort "-value".',
  }),
  listTool({
    name: 'list-scores',
    title: 'List scores',
    description:
      'Benchmark scores that meet filters, in pages. For the best models of one benchmark give benchmark and sort "-value". One unit a page.',
    route: scoresRoute,
    words: { sort: SORT_WORDS },
    rows: 'scores',
    noun: 'scores',
    columns: { model: 'model_id', ...SCORE_COLUMNS },
  }),
  listTool({
    name: 'get-rankings',
    title: 'Get a ranking',
    description:
      'The models of one category by rank, best first; where it isn’t one, it tells which there are. One unit a page.',
    route: rankingsRoute,
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
    description: 'Models first seen within the last days, newest first. One unit a page.',
    route: updatesRoute,
    rows: 'models',
    noun: 'new models',
    columns: { 'first seen': (row) => cell(row['added_at']).slice(0, 10), ...MODEL_COLUMNS },
  }),
];

/** The categories that are ranked, for whoever has asked for another one: no call of a tool gives them else. */
async function rankedCategories(exchange: Exchange): Promise<string> {
  const { body: all } = await exchange.askAgain(categoriesRoute, {});
  const ids = rowsOf(all, 'categories').map(({ id }) => cell(id));
  return `Ranked categories are ${ids.join(', ')}.`;
}

function modelText({ body, dataAsOf, cut }: Telling): string {
  const [scores, ranks, prices] = [rowsOf(body, 'scores'), rowsOf(body, 'rankings'), rowsOf(body, 'pricing')];
  const aliases = rowsOf(body, 'aliases').map(({ upstream, id }) => `${cell(id)} at ${cell(upstream)}`);
  return lines(
    `${cell(body['name'])}${asOf(dataAsOf)}.`,
    table(MODEL_COLUMNS, [body]),
    aliases.length === 0 ? undefined : `Also called: ${aliases.join(', ')}.`,
    `Prices, ${prices.length}:`,
    prices.length === 0 ? 'none' : table(PRICE_COLUMNS, prices),
    `Ranks, ${ranks.length}:`,
    ranks.length === 0 ? 'none' : table({ category: 'category', ...RANK_COLUMNS }, ranks),
    `Scores, ${scores.length}:`,
    scores.length === 0 ? 'none' : table(SCORE_COLUMNS, scores),
    cut === 0
      ? undefined
      : `${cut} scores were left out, as the answer would have been too long; list-scores with model "${cell(body['id'])}" has all of them.`,
    'For how these changed call get-history.',
  );
}
