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

/** Of these, the ones that are off in it unless somebody switches them on. */
export const OFF_BY_DEFAULT = ['openrouter', 'livebench'];

/** `sources/public` as it is shipped, beside `public`, which has all upstreams on. */
export const PUBLIC_BY_DEFAULT = 'public-by-default';

/** The days of an upstream, oldest first; of `public` those on which one that it joins has a day and all have begun. */
export function listDays(upstream: string): readonly Day[] {
  if (!isJoined(upstream)) return listRecorded(upstream);
  const days = JOINED.map(listRecorded);
  const begun = days.map(([first = '']) => first).reduce((left, right) => (left > right ? left : right));
  return [...new Set(days.flat())].filter((day) => day >= begun).sort();
}

/** The files of an upstream's day, where its recipe fetches them to; of `public` the newest that there were on that day. */
export function loadRealDay(upstream: string, day: Day): DayFiles {
  if (!isJoined(upstream)) return loadRecorded(upstream, day);
  const names = JOINED.filter((name) => upstream === 'public' || !OFF_BY_DEFAULT.includes(name));
  return Object.assign({}, ...names.map((name) => loadRecorded(name, newestRecorded(name, day))));
}

function isJoined(name: string): boolean {
  return name === 'public' || name === PUBLIC_BY_DEFAULT;
}

function newestRecorded(upstream: string, day: Day): Day {
  return listRecorded(upstream).findLast((recorded) => recorded <= day) ?? '';
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
  const records = upstream === PUBLIC_BY_DEFAULT ? askByDefault(day) : readByOracle(UPSTREAM_DATA ?? '', upstream, day);
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

function askByDefault(day: Day): OracleRecords {
  const names = JOINED.filter((name) => !OFF_BY_DEFAULT.includes(name));
  return askOracleOf(new Map(names.map((name) => [name, newestRecorded(name, day)])), day);
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
