/** What a store has published, read the way people would look at it: lines of text, rows as JSON. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { DATASET_NAMES, DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';
import { loadCatalog, loadRelease } from '../../../storage/catalog.ts';
import { type RawRow, text } from '../../../storage/duckdb/row-shape.ts';
import { RELEASE_PATHS, releaseKey } from '../../../storage/keys.ts';
import type { TemporaryStore } from './temporary-store.ts';

/** The live releases, oldest first. */
export async function listReleases({ deps }: TemporaryStore): Promise<readonly CatalogEntry[]> {
  return (await loadCatalog(deps.store)).catalog?.releases ?? [];
}

export function readRelease({ deps }: TemporaryStore, entry: CatalogEntry): Promise<Release> {
  return loadRelease(deps.store, entry);
}

export async function newestOf(store: TemporaryStore): Promise<CatalogEntry> {
  const entry = (await listReleases(store)).at(-1);
  if (entry === undefined) throw new Error('nothing was published');
  return entry;
}

export async function entryOfDay(store: TemporaryStore, day: string): Promise<CatalogEntry> {
  const entry = (await listReleases(store)).find((candidate) => candidate.day === day);
  if (entry === undefined) throw new Error(`no release of ${day}`);
  return entry;
}

export async function readRecords(store: TemporaryStore, dataset: DatasetName): Promise<readonly RawRow[]> {
  return recordsFrom(await readSnapshot(store, await newestOf(store), dataset));
}

export function recordsFrom(lines: string): readonly RawRow[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Every key under a release's prefix, in byte order, relative to it. */
export async function listReleaseKeys({ deps }: TemporaryStore, entry: CatalogEntry): Promise<readonly string[]> {
  const prefix = releaseKey(entry, '');
  const keys: string[] = [];
  for await (const { key } of deps.store.list(prefix)) keys.push(key.slice(prefix.length));
  return keys;
}

export function readSnapshot(store: TemporaryStore, entry: CatalogEntry, dataset: DatasetName): Promise<string> {
  return readLines(store, entry, RELEASE_PATHS.snapshot(dataset));
}

export async function readLines(store: TemporaryStore, entry: CatalogEntry, path: string): Promise<string> {
  return gunzipSync(await readFile(join(store.folder, releaseKey(entry, path)))).toString('utf8');
}

/** The night's events as JSON Lines, `key` and `data` as they stand in the feed. */
export async function readChanges(store: TemporaryStore, entry: CatalogEntry): Promise<string> {
  const rows = await readParquet(store, entry, RELEASE_PATHS.changes);
  return linesFrom(rows, (row) => {
    const event = JSON.stringify({ ...row, seq: Number(row['seq']), key: null, data: null });
    return event
      .replace('"data":null', () => `"data":${row['data'] ?? 'null'}`)
      .replace('"key":null', () => `"key":${row['key']}`);
  });
}

/** The intervals that ended this night, of all datasets, as JSON Lines. */
export async function readHistory(store: TemporaryStore, entry: CatalogEntry): Promise<string> {
  const texts: string[] = [];
  for (const dataset of DATASET_NAMES) {
    const rows = await readParquet(store, entry, RELEASE_PATHS.history(dataset));
    texts.push(linesFrom(rows, (row) => JSON.stringify(intervalFromRow(dataset, row))));
  }
  return texts.join('');
}

/** Since when each record in force has held, as JSON Lines of keys; null where it has no point on its day. */
export async function readOpenIntervals(store: TemporaryStore, entry: CatalogEntry): Promise<string> {
  const texts: string[] = [];
  for (const dataset of DATASET_NAMES) {
    const rows = await readParquet(store, entry, RELEASE_PATHS.state(dataset));
    texts.push(
      linesFrom(rows, (row) => JSON.stringify({ ...keyFromRow(dataset, row), valid_from: row['valid_from'] })),
    );
  }
  return texts.join('');
}

/** The prices that are held back after the night, as JSON Lines. */
export async function readSuspects(store: TemporaryStore, entry: CatalogEntry): Promise<string> {
  return linesFrom(await readParquet(store, entry, RELEASE_PATHS.suspects), (row) => JSON.stringify(row));
}

/** The names of models that a release keeps, in its order, each as `upstream,id,model_id`. */
export async function readAliases(store: TemporaryStore, entry: CatalogEntry): Promise<readonly string[]> {
  const rows = await readParquet(store, entry, RELEASE_PATHS.aliases);
  return rows.map((row) => ['upstream', 'id', 'model_id'].map((column) => row[column]).join());
}

export async function readIssues(reportFolder: string | null): Promise<string> {
  return reportFolder === null ? '' : readFile(join(reportFolder, 'issues.jsonl'), 'utf8');
}

/** The folders of runs that left temporary files behind. */
export async function listUntidyRuns({ deps }: TemporaryStore): Promise<readonly string[]> {
  const names = await readdir(join(deps.workFolder, 'runs'), { recursive: true });
  return names.filter((name) => name.endsWith('tmp'));
}

function intervalFromRow(dataset: DatasetName, { valid_from, valid_to, ...record }: RawRow) {
  return { dataset, valid_from, valid_to, record };
}

function keyFromRow(dataset: DatasetName, row: RawRow) {
  return { dataset, key: DATASETS[dataset].key.map((part) => row[part]) };
}

function linesFrom(rows: readonly RawRow[], lineFromRow: (row: RawRow) => string): string {
  return rows.map((row) => `${lineFromRow(row)}\n`).join('');
}

async function readParquet(store: TemporaryStore, entry: CatalogEntry, path: string): Promise<readonly RawRow[]> {
  const file = join(store.folder, releaseKey(entry, path));
  const select = 'SELECT CAST(to_json(t) AS VARCHAR) AS json FROM read_parquet($1) t';
  const rows = await store.reader.rows({ json: text }, select, [file]);
  return rows.map(({ json }) => JSON.parse(json) as RawRow);
}
