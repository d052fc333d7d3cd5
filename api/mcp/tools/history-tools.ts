import { modelHistoryRoute } from '../../data/routes/model-history.ts';
import { rankingsHistoryRoute } from '../../data/routes/rankings-history.ts';
import { type Columns, cell, type Row, type Run, rowsOf, runColumns, runsOf, table } from '../table.ts';
import { asOf, lines, type Telling } from '../told.ts';
import { routeTool } from './route-tool.ts';
import type { Tool } from './tool.ts';

/** What a kind of history shows of a point beside its date, and which points of a day are of one thing. */
interface Shown {
  readonly columns: Columns;
  readonly series: (point: Row) => string;
}

const SHOWN: Readonly<Record<string, Shown>> = {
  score: { columns: { benchmark: 'benchmark_id', score: 'value' }, series: (point) => String(point['benchmark_id']) },
  ranking: {
    columns: { category: 'category_id', rank: 'value', 'models ranked': (point) => payloadOf(point)['positions'] },
    series: (point) => String(point['category_id']),
  },
  pricing: {
    columns: {
      provider: (point) => payloadOf(point)['provider'],
      'input (USD per million tokens)': 'value',
      'output (USD per million tokens)': (point) => payloadOf(point)['output_per_million'],
      'known from': 'source',
    },
    series: (point) => String(payloadOf(point)['provider']),
  },
  metadata: { columns: { record: 'payload' }, series: () => '' },
};

/** What was so on each day. */
export const HISTORY_TOOLS: readonly Tool[] = [
  routeTool({
    name: 'get-history',
    title: 'Get the history of a model',
    description:
      'What one model was on each day, as far back as the plan goes. A point’s value is the score, the rank or the input price, by kind. One unit.',
    route: modelHistoryRoute,
    words: { model_id: 'Exact id' },
    rows: 'points',
    text: (telling) => {
      const { columns, series } = SHOWN[String(telling.body['kind'])] ?? { columns: {}, series: () => '' };
      return historyText(telling, columns, runsOf(rowsOf(telling.body, 'points'), columns, series));
    },
  }),
  routeTool({
    name: 'get-rankings-history',
    title: 'Get the history of a ranking',
    description: 'The first positions of a category on each day (top, 10 unless told), between from and to. One unit.',
    route: rankingsHistoryRoute,
    rows: 'points',
    text: (telling) => {
      const days = podiumsOf(rowsOf(telling.body, 'points'));
      const columns = Object.fromEntries(ranksIn(days).map((rank) => [`rank ${rank}`, rank]));
      return historyText(
        telling,
        columns,
        runsOf(days, columns, () => ''),
      );
    },
  }),
];

/** A row for each day, with the models of each rank; those that share one stand together. */
function podiumsOf(points: readonly Row[]): readonly Row[] {
  const days = new Map<unknown, Record<string, unknown>>();
  for (const { date, value, model_id: model } of points) {
    const day = days.get(date) ?? { date };
    const rank = String(value);
    day[rank] = day[rank] === undefined ? model : `${day[rank]} = ${model}`;
    days.set(date, day);
  }
  return [...days.values()];
}

function ranksIn(days: readonly Row[]): readonly string[] {
  const ranks = new Set(days.flatMap((day) => Object.keys(day)));
  ranks.delete('date');
  return [...ranks].sort((a, b) => Number(a) - Number(b));
}

function historyText(telling: Telling, columns: Columns, runs: readonly Run[]): string {
  const { body, dataAsOf, cut } = telling;
  const points = rowsOf(body, 'points');
  const { from, to, plan_limit_from: limit, available_from: first } = Object(body['window']) as Row;
  const shown = runs.length === 0 ? 'No points.' : table(runColumns(columns), runs);
  return lines(
    `${points.length} points of ${cell(body['model_id'] ?? body['category_id'])}, ${cell(body['kind'])}, from ${cell(from)} to ${cell(to)}${asOf(dataAsOf)}.`,
    shown,
    'A row holds for each day from its first to its last. Days in no row were not recorded; nothing is filled in.',
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
