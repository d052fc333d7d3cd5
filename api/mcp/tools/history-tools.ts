import { modelHistoryRoute } from '../../data/routes/model-history.ts';
import { rankingsHistoryRoute } from '../../data/routes/rankings-history.ts';
import { type Columns, cell, RATE_COLUMNS, type Row, type Run, rowsOf, runColumns, runsOf, table } from '../table.ts';
import { asOf, lines, type TextInput } from '../tool-text.ts';
import { routeTool } from './route-tool.ts';
import type { Tool } from './tool.ts';

/** Columns of a kind beside the date, and the series of a point. */
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
      'input (per million tokens)': 'value',
      'output (per million tokens)': (point) => payloadOf(point)['output_per_million'],
      currency: (point) => payloadOf(point)['currency'],
      ...Object.fromEntries(
        Object.entries(RATE_COLUMNS).map(([head, fill]) => [head, (point: Row) => fill(payloadOf(point))]),
      ),
      'known from': 'source',
    },
    series: (point) => String(payloadOf(point)['provider']),
  },
  metadata: { columns: { record: 'payload' }, series: () => '' },
};

/** The instructions say them once. */
const RANGE_DESCRIPTIONS = { from: '', to: '' };

export const HISTORY_TOOLS: readonly Tool[] = [
  routeTool({
    name: 'get-history',
    title: 'Get the history of a model',
    description: 'Daily history of one model: scores, ranks, prices or its record.',
    route: modelHistoryRoute,
    descriptions: {
      model: '',
      kind: '',
      ...RANGE_DESCRIPTIONS,
      benchmark: '',
      category: '',
      provider: '',
    },
    rows: 'points',
    text: (input) => {
      const { columns, series } = SHOWN[String(input.body['kind'])] ?? { columns: {}, series: () => '' };
      return historyText(input, columns, runsOf(rowsOf(input.body, 'points'), columns, series));
    },
  }),
  routeTool({
    name: 'get-rankings-history',
    title: 'Get the history of a ranking',
    description: 'The top positions of a category on each day.',
    route: rankingsHistoryRoute,
    descriptions: { category: '', ...RANGE_DESCRIPTIONS, top: '' },
    rows: 'points',
    text: (input) => {
      const days = podiumsOf(rowsOf(input.body, 'points'));
      const columns = Object.fromEntries(ranksIn(days).map((rank) => [`rank ${rank}`, rank]));
      return historyText(
        input,
        columns,
        runsOf(days, columns, () => ''),
      );
    },
  }),
];

/** A row per day with the models of each rank; ties share a cell. */
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

function historyText(input: TextInput, columns: Columns, runs: readonly Run[]): string {
  const { body, dataAsOf, cut } = input;
  const points = rowsOf(body, 'points');
  const { from, to, plan_limit_from: limit, available_from: first } = Object(body['window']) as Row;
  const shown = runs.length === 0 ? 'No points.' : table(runColumns(columns), runs);
  return lines(
    `${points.length} points of ${cell(body['model_id'] ?? body['category_id'])}, ${cell(body['kind'])}, from ${cell(from)} to ${cell(to)}${asOf(dataAsOf)}.`,
    shown,
    'A row covers each day from its first to its last. Days in no row were not recorded; nothing is interpolated.',
    first === null || first === undefined ? undefined : `Data of this kind begin on ${cell(first)}.`,
    limit === null || limit === undefined ? undefined : `The plan includes days from ${cell(limit)} on.`,
    cut === 0
      ? undefined
      : `${cut} later points were left out because the response would be too long: ${continuationText(points)}`,
  );
}

function continuationText(points: readonly Row[]): string {
  const last = cell(points.at(-1)?.['date']);
  return `call again with from "${last}", or narrow it to one series.`;
}

function payloadOf(row: Row): Row {
  return Object(row['payload']) as Row; // An object in every point.
}
