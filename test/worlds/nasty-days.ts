/**
 * A small source in which everything happens that makes an answer hard: ids of every kind, records that vanish, come
 * back or are set aside, files that are missing, days without a night, ties, nulls, numbers at the edges.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addDays, type Day } from '../../runtime/day.ts';
import type { DatasetName } from '../../schemas/datasets.ts';
import { writeDay } from '../support/pipeline/write-day.ts';
import { type Chooser, createChooser } from '../support/random.ts';

type Row = Record<string, unknown>;
type Rows = Partial<Record<DatasetName, readonly Row[]>>;

const FIRST_DAY: Day = '2024-02-25'; // a leap day and a month's end are among the days that follow
const RANKINGS_FROM = 2;
const REPEATING_NIGHT = 4;

const MODEL_IDS = [
  ...['acme/large:v1@2+x', 'Acme/Large:V1@2+x', 'plain', 'PLAIN', 'plain.json', 'org/plain/history', '100%:real'],
  ...['%2F', 'a b', 'é/ü', 'É/Ü', '\uffee-1', '\u{10000}-1', '🦙-7b', `q"'\\?#&=;`, 'L'.repeat(200), '@cf/x', '..a'],
  ...['history', 'updates', 'm1', 'm2', 'm3', 'm10', 'M1', 'm-1', 'm_1', 'm%1'],
  ...Array.from({ length: 25 }, (_, at) => `x/model-${at}`),
];
const BENCHMARKS = ['bench:1', 'Bench:1', 'b/2', 'b 3'];
const CATEGORIES = ['general', 'General', 'c:d/e'];
const PROVIDERS = ['acme', 'Acme', 'p:q/r', 'zeta'];
const NUMBERS = [0, 1, 1.5, 0.1 + 0.2, 7.5e-7, 1e21, 5e-324, -3.25, 100, 2 ** 53, 1 / 3];
const PRICES = [0, 0.5, 600, 0.0001, 2.5, 1e-4 * 3, null, 10_000, 9_999.5, 20_000, 0.00001];
const DATES = ['2024-02-29', '2023-12-31', '1999-01-01', null];
const TIMES = ['2024-02-01T10:00:00Z', '2024-02-01T10:00:00.250Z', '2024-02-01T12:00:00+02:00', null];

/** Writes so many dated folders, the same for the same seed, and tells their names. */
export async function writeNastyDays(folder: string, seed: number, nights: number): Promise<readonly Day[]> {
  const choose = createChooser(seed);
  const naming = createChooser(seed + 1000);
  await mkdir(folder, { recursive: true });
  await writeNamingSettings(folder);
  const days: Day[] = [];
  const known = new Set<unknown>();
  let [day, rows] = [FIRST_DAY, inventRows(choose)];
  for (let night = 0; night < nights; night += 1) {
    if (night > 0 && night !== REPEATING_NIGHT) rows = nextRows(rows, choose);
    const files = night === REPEATING_NIGHT ? rows : damageRows(rows, night, choose);
    for (const { id, name } of [...(files.models ?? []), ...(files.benchmarks ?? [])]) if (name !== null) known.add(id);
    await writeDay(join(folder, day), withParents(files, known));
    await writeNames(folder, day, naming);
    days.push(day);
    day = addDays(day, choose.pick([1, 1, 1, 2, 5]));
  }
  return days;
}

function inventRows(choose: Chooser): Required<Rows> {
  return {
    models: MODEL_IDS.filter(() => choose.chance(0.7)).map((id) => inventModel(id, choose)),
    benchmarks: BENCHMARKS.map((id) => ({ id, name: `Name of ${id}`, category: choose.pick(['code', 'Code', null]) })),
    scores: MODEL_IDS.flatMap((model_id) => BENCHMARKS.map((benchmark_id) => ({ model_id, benchmark_id })))
      .filter(() => choose.chance(0.5))
      .map((key) => ({ ...key, ...inventScore(choose) })),
    rankings: MODEL_IDS.flatMap((model_id) => CATEGORIES.map((category) => ({ model_id, category })))
      .filter(() => choose.chance(0.6))
      .map((key) => ({ ...key, ...inventRanking(choose) })),
    pricing: MODEL_IDS.flatMap((model_id) => PROVIDERS.map((provider) => ({ model_id, provider })))
      .filter(() => choose.chance(0.4))
      .map((key) => ({ ...key, ...inventPrice(choose) })),
  };
}

function inventModel(id: string, choose: Chooser): Row {
  return {
    id,
    name: choose.pick([id, `The ${id}`, 'One name for several', 'ÄÖÜ äöü 50% off_', 'Tab\tin name']),
    organization: choose.pick(['acme', 'Acme', 'o/p', null]),
    release_date: choose.pick(DATES),
    context_length: choose.pick([0, 8192, 131_072, 99_999_999, null]),
    inference: choose.pick(['acme,zeta', 'Acme', 'p:q/r, acme', '', null]),
    updated_at: choose.pick(TIMES),
  };
}

function inventScore(choose: Chooser): Row {
  return {
    value: choose.pick(NUMBERS),
    source: choose.pick(['official', 'vendor', 'other/source', null]),
    measured_at: choose.pick(DATES),
    n: choose.pick([null, 0, 1000]),
    updated_at: choose.pick(TIMES),
  };
}

/** Few ranks for many models: ties everywhere, also at the edge of `top`. */
function inventRanking(choose: Chooser): Row {
  return {
    rank: choose.integer(1, 12),
    trueskill_mu: choose.pick([...NUMBERS, null]),
    trueskill_sigma: choose.pick([0, 1.5, 8.333333333333334, null]),
  };
}

function inventPrice(choose: Chooser): Row {
  return {
    input_per_million: choose.pick(PRICES),
    output_per_million: choose.pick(PRICES),
    currency: choose.pick(['USD', 'EUR', null]),
    effective_from: choose.pick(DATES),
    updated_at: choose.pick(TIMES),
  };
}

/** The rows of the next night: most stay, some change, some go, some of those that could be there come (back). */
function nextRows(rows: Required<Rows>, choose: Chooser): Required<Rows> {
  const other = inventRows(choose);
  const next = (dataset: DatasetName) => mix(rows[dataset], other[dataset], choose);
  return {
    models: next('models'),
    benchmarks: choose.chance(0.15) ? rows.benchmarks.slice(1) : mix(rows.benchmarks, other.benchmarks, choose, 0.5),
    scores: next('scores'),
    rankings: next('rankings'),
    pricing: next('pricing'),
  };
}

function mix(rows: readonly Row[], other: readonly Row[], choose: Chooser, comes = 0.15): Row[] {
  const byKey = new Map(rows.filter(() => choose.chance(0.95)).map((row) => [keyOf(row), row]));
  for (const row of other) {
    if (choose.chance(byKey.has(keyOf(row)) ? 0.08 : comes)) byKey.set(keyOf(row), row);
  }
  return [...byKey.values()];
}

function keyOf({ id, model_id, benchmark_id, category, provider }: Row): string {
  return JSON.stringify(id ?? [model_id, benchmark_id ?? provider ?? category]);
}

/** Files that are missing, and rows that nobody can use. */
function damageRows(rows: Required<Rows>, night: number, choose: Chooser): Rows {
  const files: Rows = { ...rows };
  if (night < RANKINGS_FROM) delete files.rankings;
  for (const dataset of ['models', 'benchmarks', 'scores', 'rankings', 'pricing'] as const) {
    if (night > 0 && choose.chance(0.08)) delete files[dataset];
  }
  return {
    ...files,
    ...(files.scores && { scores: spoilRows(files.scores, { value: 'oops' }, choose) }),
    ...(files.pricing && { pricing: spoilRows(files.pricing, { input_per_million: -1 }, choose) }),
    ...(files.models && { models: spoilRows(files.models, { name: null }, choose) }),
    ...(files.rankings && { rankings: spoilRows(files.rankings, { rank: 0 }, choose) }),
  };
}

function spoilRows(rows: readonly Row[], wrong: Row, choose: Chooser): readonly Row[] {
  const spoiled = new Set(Array.from({ length: choose.integer(0, 3) }, () => choose.integer(0, rows.length - 1)));
  return rows.map((row, i) => (spoiled.has(i) ? { ...row, ...wrong } : row));
}

/**
 * Without the rows whose model or benchmark was never there: so many bad rows would reject the day. Rows of those that
 * are gone stay.
 */
function withParents(files: Rows, known: ReadonlySet<unknown>): Rows {
  const hasParents = ({ model_id, benchmark_id }: Row) =>
    known.has(model_id) && (benchmark_id === undefined || known.has(benchmark_id));
  return Object.fromEntries(
    Object.entries(files).map(([dataset, rows]) => [dataset, rows.filter((row) => 'id' in row || hasParents(row))]),
  );
}

const UPSTREAMS = ['models-dev', 'shop', 'a.b-c_d'];
/** Names that are easily taken for something else: an id of another model, a quote, a comma, a wildcard, another case. */
const NAMES = ['plain', 'PLAIN', 'a, "quoted" name', '""', '%', '_', "O'Brien", 'É/ü', '🦙', '\uffee', 'N'.repeat(200)];
const NAMES_OF_A_DAY = 40;

async function writeNamingSettings(folder: string): Promise<void> {
  const upstreams = UPSTREAMS.map((id) => ({ id, name: id, url: 'https://upstream.test' }));
  await writeFile(join(folder, 'source.json'), JSON.stringify({ aliases: 'aliases.csv', upstreams }));
}

/** Writes a day's table: names of models, of models that never are, and every third day none. */
async function writeNames(folder: string, day: Day, choose: Chooser): Promise<void> {
  const lines = new Map<string, string>();
  const count = Number(day.slice(-2)) % 3 === 0 ? 0 : NAMES_OF_A_DAY;
  for (let n = 0; n < count; n += 1) {
    const upstream = choose.pick(UPSTREAMS.slice(1));
    const name = choose.chance(0.6) ? choose.pick(NAMES) : `Name ${choose.integer(0, 30)}`;
    const model = choose.chance(0.1) ? `never/${n}` : choose.pick(MODEL_IDS);
    lines.set(`${upstream} ${name}`, [upstream, name, model].map((field) => quoted(field, choose)).join(','));
  }
  await writeFile(join(folder, day, 'aliases.csv'), ['upstream,id,model_id', ...lines.values(), ''].join('\n'));
}

function quoted(field: string, choose: Chooser): string {
  return /[",]/.test(field) || choose.chance(0.3) ? `"${field.replaceAll('"', '""')}"` : field;
}
