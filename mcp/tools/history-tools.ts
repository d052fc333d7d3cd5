import { modelHistoryRoute } from '../../api/routes/history/model-history.ts';
import { rankingsHistoryRoute } from '../../api/routes/history/rankings-history.ts';
import { type Columns, cell, type Row, rowsOf, table } from '../text/table.ts';
import type { Telling } from '../text/telling.ts';
import { asOf, lines } from '../text/told.ts';
import { routeTool } from './route-tool.ts';
import type { Tool } from './tool.ts';

/** What a point is called and what it shows, by the kind of history. */
const POINT_COLUMNS: Readonly<Record<string, Columns>> = {
  score: { date: 'date', benchmark: 'benchmark_id', score: 'value' },
  ranking: {
    date: 'date',
    category: 'category_id',
    rank: 'value',
    'models ranked': (row) => payloadOf(row)['positions'],
  },
  pricing: {
    date: 'date',
    provider: (row) => payloadOf(row)['provider'],
    'input (USD per million tokens)': 'value',
    'output (USD per million tokens)': (row) => payloadOf(row)['output_per_million'],
    'known from': 'source',
  },
  metadata: { date: 'date', record: 'payload' },
};

/** What was so on each day. */
export const HISTORY_TOOLS: readonly Tool[] = [
  routeTool({
    name: 'get-history',
    title: 'Get the history of a model',
    description:
      'Day by day what one model was: kind "pricing", "score", "ranking" or "metadata". Narrow it with provider, benchmark_id, category_id, from and to (days); the plan bounds how far back it goes. One unit.',
    route: modelHistoryRoute,
    words: { model_id: 'Exact id, as it stands' },
    rows: 'points',
    text: (telling) => historyText(telling, POINT_COLUMNS[String(telling.body['kind'])] ?? {}),
  }),
  routeTool({
    name: 'get-rankings-history',
    title: 'Get the history of a ranking',
    description: 'Day by day the first positions of a category (top, 10 unless told), between from and to. One unit.',
    route: rankingsHistoryRoute,
    rows: 'points',
    text: (telling) => historyText(telling, { date: 'date', rank: 'value', model: 'model_id' }),
  }),
];

function historyText(telling: Telling, columns: Columns): string {
  const { body, dataAsOf, cut } = telling;
  const points = rowsOf(body, 'points');
  const { from, to, plan_limit_from: limit, available_from: first } = Object(body['window']) as Row;
  const shown = Object.keys(columns).length > 0 && points.length > 0 ? table(columns, points) : 'No points.';
  return lines(
    `${points.length} points of ${cell(body['model_id'] ?? body['category_id'])}, ${cell(body['kind'])}, from ${cell(from)} to ${cell(to)}${asOf(dataAsOf)}.`,
    shown,
    'A day without a point was not recorded; nothing is filled in.',
    first === null || first === undefined ? undefined : `The record of this kind begins on ${cell(first)}.`,
    limit === null || limit === undefined ? undefined : `The plan shows days from ${cell(limit)} on.`,
    cut === 0
      ? undefined
      : `${cut} later points were left out, as the answer would have been too long: ${goOn(points)}`,
  );
}

/** How to get the days after the last one that is shown. */
function goOn(points: readonly Row[]): string {
  const last = cell(points.at(-1)?.['date']);
  return `call again with from "${last}", or narrow it to one series.`;
}

function payloadOf(row: Row): Row {
  return Object(row['payload']) as Row; // An object in every point.
}
