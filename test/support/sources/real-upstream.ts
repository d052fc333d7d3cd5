import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Day, isDay } from '../../../runtime/day.ts';
import { type DatasetName, mapDatasets } from '../../../schemas/datasets.ts';
import { UPSTREAM_DATA } from '../real-data.ts';
import type { DayFiles } from './recipe-folder.ts';

/** What `sources/public` joins. */
export const JOINED = ['models-dev', 'openrouter', 'litellm', 'genai-prices', 'lmarena', 'epoch', 'livebench'];

/** The days of an upstream, oldest first; of `public` those on which one that it joins has a day and all have begun. */
export function listDays(upstream: string): readonly Day[] {
  if (upstream !== 'public') return listRecorded(upstream);
  const days = JOINED.map(listRecorded);
  const begun = days.map(([first = '']) => first).reduce((left, right) => (left > right ? left : right));
  return [...new Set(days.flat())].filter((day) => day >= begun).sort();
}

/** The files of an upstream's day, where its recipe fetches them to; of `public` the newest that there were on that day. */
export function loadRealDay(upstream: string, day: Day): DayFiles {
  if (upstream !== 'public') return loadRecorded(upstream, day);
  const newest = (name: string) => listRecorded(name).findLast((recorded) => recorded <= day) ?? '';
  return Object.assign({}, ...JOINED.map((name) => loadRecorded(name, newest(name))));
}

export function listRecorded(upstream: string): readonly Day[] {
  return readdirSync(join(UPSTREAM_DATA ?? '', upstream))
    .filter(isDay)
    .sort();
}

function loadRecorded(upstream: string, day: Day): DayFiles {
  const folder = join(UPSTREAM_DATA ?? '', upstream, day);
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ name }) => {
      const bytes = readFileSync(join(folder, name));
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
      return [fetchedPath(upstream, name.replace(/\.gz$/, '')), text];
    }),
  );
}

function fetchedPath(upstream: string, name: string): string {
  switch (upstream) {
    case 'epoch':
      return `epoch/${name}`;
    case 'lmarena':
      return `lmarena/${name.replace(/\.json$/, '.parquet')}`;
    case 'livebench':
      return name.startsWith('table') ? 'livebench/table.csv' : 'livebench/categories.json';
    default:
      return `${upstream}.json`;
  }
}

/** Records as the oracle in Python reads them, by dataset. */
export type OracleRecords = Readonly<Record<DatasetName, readonly Readonly<Record<string, unknown>>[]>>;

const ORACLE = resolve(import.meta.dirname, '../../../scripts/upstream-oracle.py');

/** How many records of each dataset a day has. */
export type OracleCounts = Readonly<Record<DatasetName, number>>;

/** Of the days that were read already, by {@link askOracle}: reading them all takes ten seconds. */
const counted = new Map<string, OracleCounts>();

export function askOracle(upstream: string, day: Day): OracleRecords {
  const records = readByOracle(UPSTREAM_DATA ?? '', upstream, day);
  const counts = mapDatasets((dataset) => records[dataset].length);
  counted.set(`${upstream} ${day}`, counts);
  return records;
}

/** What it gives where each upstream that `sources/public` joins has given, last, what it has on another day, or nothing yet. */
export function askOracleOf(given: ReadonlyMap<string, Day>, day: Day): OracleRecords {
  const root = mkdtempSync(join(tmpdir(), 'modelstats-given-'));
  try {
    for (const upstream of JOINED) {
      mkdirSync(join(root, upstream));
      const last = given.get(upstream);
      if (last !== undefined) symlinkSync(resolve(UPSTREAM_DATA ?? '', upstream, last), join(root, upstream, last));
    }
    return readByOracle(root, 'public', day);
  } finally {
    rmSync(root, { recursive: true });
  }
}

function readByOracle(root: string, upstream: string, day: Day): OracleRecords {
  const run = [ORACLE, root, '--rows', upstream, day];
  return JSON.parse(execFileSync('python3', run, { encoding: 'utf8', maxBuffer: 2 ** 28 }));
}

export function countByOracle(upstream: string, day: Day): OracleCounts {
  if (!counted.has(`${upstream} ${day}`)) askOracle(upstream, day);
  return counted.get(`${upstream} ${day}`) ?? mapDatasets(() => 0);
}

export function differences(ours: readonly object[], theirs: readonly object[]): readonly string[] {
  const [left, right] = [ours, theirs].map((rows) => new Set(rows.map((row) => JSON.stringify(row))));
  const only = (these: Set<string> | undefined, others: Set<string> | undefined) =>
    [...(these ?? [])].filter((line) => !others?.has(line)).slice(0, 5);
  return [...only(left, right).map((line) => `night: ${line}`), ...only(right, left).map((line) => `oracle: ${line}`)];
}
