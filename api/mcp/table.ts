/** Tables that cost few tokens: a line of names, then a line per row, cells separated by ` | `. */
import { addDays } from '../../runtime/day.ts';
import { plainNumber } from '../../runtime/plain-number.ts';
import { conditionTexts } from '../../schemas/cost.ts';
import { comparedPrice, isPlainPrice, type Rate } from '../../schemas/rates.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Column heads with units, and the field or function of the cells. */
export type Columns = Readonly<Record<string, string | ((row: Row) => unknown)>>;

export function table(columns: Columns, rows: readonly Row[]): string {
  const fills = Object.values(columns);
  const lines = rows.map((row) =>
    fills.map((fill) => cell(typeof fill === 'string' ? row[fill] : fill(row))).join(' | '),
  );
  return [Object.keys(columns).join(' | '), ...lines].join('\n');
}

/** A value as one line, with rounded numbers; the structured content has all digits. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(', ');
  if (typeof value === 'object') {
    const fields = Object.entries(value).filter(([, held]) => held !== null);
    return fields.map(([name, held]) => `${name} ${cell(held)}`).join(', ');
  }
  if (typeof value === 'number') return String(plainNumber(value));
  if (typeof value === 'boolean') return String(value);
  const text = String(value);
  return BREAKING.test(text) ? text.replaceAll(/\s+/g, ' ').replaceAll('|', '¦') : text;
}

/** Not allowed in a cell: a bar, or white space other than single blanks. */
const BREAKING = /[|\t-\r\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]| {2}/;

/** Empty if the body has no such list. */
export function rowsOf(body: Row, name: string): readonly Row[] {
  const rows = body[name];
  return Array.isArray(rows) ? (rows as readonly Row[]) : []; // Our own responses hold lists of objects.
}

/** The same columns and units in every tool. */
export const MODEL_COLUMNS: Columns = {
  id: 'id',
  name: 'name',
  organization: 'organization',
  released: 'release_date',
  'context (tokens)': 'context_length',
  'served by': servedBy,
};

/** Some models have dozens; get-model lists all prices. */
const PROVIDERS_NAMED = 3;

function servedBy({ inference }: Row): string | null {
  if (!Array.isArray(inference) || inference.length === 0) return null;
  const more = inference.length - PROVIDERS_NAMED;
  return inference.slice(0, PROVIDERS_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export const BENCHMARK_COLUMNS: Columns = {
  id: 'id',
  name: 'name',
  category: 'category',
  'models scored': 'model_count',
};

export const SCORE_COLUMNS: Columns = {
  benchmark: 'benchmark_id',
  'score (in the units of the benchmark)': 'value',
  source: 'source',
  measured: 'measured_at',
};

export const RANK_COLUMNS: Columns = { rank: 'rank', skill: 'trueskill_mu', uncertainty: 'trueskill_sigma' };

export const LIFECYCLE_COLUMNS: Columns = {
  date: 'date',
  event: 'event',
  model: 'model_id',
  organization: 'organization',
  status: 'status',
  'replaced by': 'replaced_by',
  source: 'source',
  'known since': 'known_since',
};

export const PRICE_COLUMNS: Columns = {
  provider: 'provider',
  'input (per million tokens)': 'input_per_million',
  'output (per million tokens)': 'output_per_million',
  currency: 'currency',
  'since (as the provider says)': 'effective_from',
  source: 'source',
};

/** Every rate beside the plain prices of input and output, such as `input (tier batch) 0.5, image_in 0.002 per image`. */
export const RATE_COLUMNS = {
  'other rates (per million tokens, or as said)': ({ rates }: Row) => {
    if (!Array.isArray(rates)) return null;
    const all = rates as readonly Rate[]; // Our own responses hold no other list.
    return all.filter((rate) => !isPlainPrice(rate)).map(rateText);
  },
} satisfies Columns;

function rateText(rate: Rate): string {
  const { meter, unit, when = {} } = rate;
  const conditions = conditionTexts(when);
  const condition = conditions.length === 0 ? '' : ` (${conditions.join(', ')})`;
  return `${meter}${condition} ${cell(comparedPrice(rate))}${unit === 'token' ? '' : ` per ${unit}`}`;
}

export const SOURCE_COLUMNS: Columns = {
  id: 'id',
  name: 'name',
  'home page': 'url',
  licence: 'license',
  attribution: 'attribution',
  'may be redistributed': 'redistribution',
  fetched: 'fetched_at',
};

/** Consecutive days without a change: a year of one price is one line. */
export interface Run extends Row {
  /** First and last day; every day between is recorded. */
  readonly from: string;
  readonly to: string;
  /** The cells by column head. */
  readonly cells: Readonly<Record<string, string>>;
}

/**
 * Runs by first day, from points sorted by `date`; a missing day ends a run. `series` names a point's series, such as a
 * provider.
 */
export function runsOf(points: readonly Row[], columns: Columns, series: (point: Row) => string): readonly Run[] {
  const runs: { from: string; to: string; cells: Readonly<Record<string, string>> }[] = [];
  const open = new Map<string, (typeof runs)[number]>();
  for (const point of points) {
    const date = String(point['date']);
    const cells = Object.fromEntries(
      Object.entries(columns).map(([head, fill]) => [head, cell(typeof fill === 'string' ? point[fill] : fill(point))]),
    );
    const run = open.get(series(point));
    if (run !== undefined && addDays(run.to, 1) === date && isEqual(run.cells, cells)) {
      run.to = date;
    } else {
      const begun = { from: date, to: date, cells };
      open.set(series(point), begun);
      runs.push(begun);
    }
  }
  return runs;
}

function isEqual(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  return Object.entries(one).every(([head, text]) => other[head] === text);
}

export function runColumns(columns: Columns): Columns {
  const heads = Object.keys(columns).map((head) => [head, (run: Row) => Object(run['cells'])[head]] as const);
  return { from: 'from', to: 'to', ...Object.fromEntries(heads) };
}
