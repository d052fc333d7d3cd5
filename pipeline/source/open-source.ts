/**
 * Opens a source's folder for one day (specification "Source folder", "Fetching"): finds and checks its files,
 * settings, SELECTs, names of models and fetched files, once for all stages.
 */
import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import { type AliasTable, loadAliasTable } from './aliases.ts';
import { DAY_FILES } from './fetch-list.ts';
import { type FetchRecord, isIntact, readFetchRecord } from './fetch-record.ts';
import { assertFile, assertFolder, assertTree, describeDayLike, listSourceDays, readFolder } from './source-folder.ts';
import { loadSettings, type SourceSettings } from './source-settings.ts';

export const SOURCE_FORMATS = ['jsonl', 'json', 'csv', 'parquet'] as const;
type SourceFormat = (typeof SOURCE_FORMATS)[number];

export interface DatasetSource {
  readonly dataset: DatasetName;
  readonly name: string;
  readonly path: string;
  readonly format: SourceFormat;
  readonly compressed: boolean;
}

export interface Source {
  readonly folder: string;
  readonly datasets: readonly DatasetSource[];
  /** `source.sql` beside the files or in the folder above the days. */
  readonly sqlPath: string | undefined;
  readonly settings: SourceSettings;
  /** Undefined where nothing was fetched. */
  readonly fetched: FetchRecord | undefined;
  /** Undefined where the settings name no table. */
  readonly aliases: AliasTable | undefined;
  /** Data files of no dataset; empty where a `source.sql` may read them. */
  readonly unread: readonly string[];
}

const DATASET_FILE = new RegExp(`^(${DATASET_NAMES.join('|')})\\.(?:(jsonl|json|csv|tsv)(\\.gz)?|(parquet))$`, 'i');
const DATA_FILE = /\.(?:(?:jsonl|ndjson|json|csv|tsv)(?:\.gz)?|parquet)$/i;

/**
 * Opens the day's sub-folder where the source has dated folders, else the source itself. Rejects with `source_rejected`
 * where data is missing or unreadable.
 */
export async function openSource(root: string, day: Day): Promise<Source> {
  const days = await listSourceDays(root);
  if (days.length > 0 && !days.includes(day)) throw await noSuchDay(root, day, days);
  if (days.length > 0) await assertFolder(root, join(root, day));
  const folders = days.length > 0 ? [join(root, day), root] : [root];
  const folder = resolve(folders[0] ?? root);
  const names = (await readFolder(folder)).map((entry) => entry.name);
  const datasets = datasetsFromNames(folder, names);
  for (const { path } of datasets) await assertFile(resolve(root), path);
  const sqlPath = await findFirst(root, folders, DAY_FILES.sql);
  if (sqlPath !== undefined) await assertTree(resolve(root), folder);
  if (datasets.length === 0 && sqlPath === undefined) throw await noData(root, folder);
  const fetched = await findFetched(folder, day);
  const settings = await loadSettings(await findFirst(root, folders, DAY_FILES.settings));
  const aliases = await findAliases(root, folders, settings);
  const known = new Set([...datasets.map(({ name }) => name), ...Object.values(DAY_FILES), settings.aliases]);
  const unread = sqlPath === undefined ? names.filter((name) => DATA_FILE.test(name) && !known.has(name)) : [];
  return { folder, datasets, sqlPath, settings, fetched, aliases, unread };
}

export interface DayPlace {
  readonly root: string;
  /** Defined where the day must first be fetched into `root`. */
  readonly toFetch: SourceSettings | undefined;
  /** Whether the source itself has a folder of this day. */
  readonly isDated: boolean;
}

/**
 * A day's own folder is captured, even if the source could fetch the day. Other days of a source that lists files to
 * fetch are in an archive (decision 0072).
 */
export async function placeOfDay(
  source: string,
  { day, workFolder }: { readonly day: Day; readonly workFolder: string },
): Promise<DayPlace> {
  const isDated = (await listSourceDays(source)).includes(day);
  const toFetch = isDated ? undefined : await loadFetchSettings(source);
  return { root: toFetch === undefined ? source : archiveFolder(workFolder), toFetch, isDated };
}

export function archiveFolder(workFolder: string): string {
  return resolve(workFolder, 'fetched');
}

/** With the table of names checked; undefined where the source lists nothing to fetch. */
export async function loadFetchSettings(root: string): Promise<SourceSettings | undefined> {
  const settings = await loadSettings(await findFirst(root, [root], DAY_FILES.settings));
  if (settings.fetch.length === 0) return undefined;
  // Checked first: a night that would be rejected fetches nothing.
  const isFetched = settings.fetch.some(({ file }) => file === settings.aliases);
  if (!isFetched) await findAliases(root, [root], settings);
  return settings;
}

async function noSuchDay(root: string, day: Day, days: readonly Day[]): Promise<AppError> {
  const held = `it holds ${days[0]} to ${days.at(-1)}`;
  return new AppError('source_rejected', `${root} has no folder ${day}; ${held}${await dayLikeHint(root)}`);
}

async function noData(root: string, folder: string): Promise<AppError> {
  const expected = DATASET_NAMES.map((name) => `${name}.jsonl`).join(', ');
  return new AppError(
    'source_rejected',
    `${folder} has no data: expected one of ${expected} (or .jsonl.gz, .json, .csv, .tsv, .parquet), or a source.sql` +
      (await dayLikeHint(root)),
  );
}

async function dayLikeHint(root: string): Promise<string> {
  const hint = await describeDayLike(root);
  return hint === undefined ? '' : `; ${hint}`;
}

/**
 * Undefined where the settings name no table. Rejects with `source_rejected` where it is missing or wrong.
 * @param folders searched in order
 */
async function findAliases(
  root: string,
  folders: readonly string[],
  { aliases: name, upstreams }: SourceSettings,
): Promise<AliasTable | undefined> {
  if (name === undefined) return undefined;
  const path = await findFirst(root, folders, name);
  const ids = upstreams.map(({ id }) => id);
  if (path !== undefined) return loadAliasTable(path, ids);
  const folder = resolve(folders[0] ?? root);
  throw new AppError('source_rejected', `${folder}: source.json names ${name} as aliases, which does not exist`);
}

function datasetsFromNames(folder: string, names: readonly string[]): readonly DatasetSource[] {
  const found = names.flatMap((name) => {
    const [, dataset, text, gz, parquet] = DATASET_FILE.exec(name) ?? [];
    const format = formatOf(text ?? parquet ?? '');
    const known = DATASET_NAMES.find((candidate) => candidate === dataset?.toLowerCase());
    if (known === undefined || format === undefined) return [];
    return [{ dataset: known, name, path: join(folder, name), format, compressed: gz !== undefined }];
  });
  for (const dataset of DATASET_NAMES) {
    const files = found.filter((file) => file.dataset === dataset);
    if (files.length > 1) {
      const listed = files.map((file) => file.name).join(' and ');
      throw new AppError('source_rejected', `${folder}: ${listed} both hold ${dataset}; keep one`);
    }
  }
  return DATASET_NAMES.flatMap((dataset) => found.filter((file) => file.dataset === dataset));
}

function formatOf(ending: string): SourceFormat | undefined {
  const format = ending.toLowerCase();
  return format === 'tsv' ? 'csv' : SOURCE_FORMATS.find((candidate) => candidate === format);
}

/** @param root of the source, which must contain the file */
async function findFirst(root: string, folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = resolve(folder, name);
    if ((await lstat(path).catch(() => undefined)) === undefined) continue;
    await assertFile(resolve(root), path);
    return path;
  }
  return undefined;
}

/**
 * Undefined where nothing was fetched into the folder. Rejects with `source_rejected` where the fetch is incomplete or
 * a file has changed since.
 */
async function findFetched(folder: string, day: Day): Promise<FetchRecord | undefined> {
  const path = join(folder, DAY_FILES.fetched);
  if ((await lstat(path).catch(() => undefined)) === undefined) return undefined;
  const record = await readFetchRecord(folder);
  if (record?.day !== day) {
    const why = record === undefined ? 'it cannot be read as one' : `it is of ${record.day}`;
    const remedy = 'fetch the day again, or remove it: without it, the files count as your own';
    throw new AppError('source_rejected', `${path} is not a record of a fetch of ${day}, ${why}; ${remedy}`);
  }
  if (record.finished_at === null) {
    const missing = record.files.filter(({ status }) => status === 'failed').map(({ file }) => file);
    const why = missing.length === 0 ? 'it was interrupted' : `${missing.join(', ')} could not be fetched`;
    throw new AppError('source_rejected', `${folder}: its fetch is incomplete, ${why}; fetch the day again`);
  }
  for (const file of record.files) {
    if (file.status === 'failed' || (await isIntact(folder, file))) continue;
    throw new AppError(
      'source_rejected',
      `${join(folder, file.file)} is not the file that ${DAY_FILES.fetched} records`,
    );
  }
  return record;
}
