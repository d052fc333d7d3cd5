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
import { DAY_FILES, type FetchEntry, type OffFile, offFileFrom } from './fetch-list.ts';
import { type FetchRecord, isIntact, readFetchRecord } from './fetch-record.ts';
import { assertFile, assertFolder, assertTree, describeDayLike, listSourceDays, readFolder } from './source-folder.ts';
import { loadSettings, type SourceSettings, switchOff } from './source-settings.ts';

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
  /** Undefined where nothing was fetched; without upstreams that are off. */
  readonly fetched: FetchRecord | undefined;
  /** SELECTs read them as empty, also where the folder has them. */
  readonly off: readonly OffFile[];
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
 * @param off upstreams that are off now, though the day may have been fetched with them
 */
export async function openSource(root: string, day: Day, off?: SourceSettings['off']): Promise<Source> {
  const days = await listSourceDays(root);
  if (days.length > 0 && !days.includes(day)) throw await noSuchDay(root, day, days);
  if (days.length > 0) await assertFolder(root, join(root, day));
  const folders = days.length > 0 ? [join(root, day), root] : [root];
  const folder = resolve(folders[0] ?? root);
  const names = (await readFolder(folder)).map((entry) => entry.name);
  const found = datasetsFromNames(folder, names);
  for (const { path } of found) await assertFile(resolve(root), path);
  const sqlPath = await findFirst(root, folders, DAY_FILES.sql);
  if (sqlPath !== undefined) await assertTree(resolve(root), folder);
  if (found.length === 0 && sqlPath === undefined) throw await noData(root, folder);
  const record = await findFetched(folder, day);
  const loaded = await loadSettings(await findFirst(root, folders, DAY_FILES.settings));
  const aliases = await findAliases(root, folders, loaded);
  const settings = switchOff(loaded, off?.upstreams.map(({ id }) => id) ?? []);
  const filesOff = listOff(settings, { record, fetch: off?.fetch ?? [] });
  const datasets = found.filter(({ name }) => !filesOff.some(({ file }) => file === name));
  const fetched = record === undefined ? undefined : withoutOff(record, settings);
  const known = new Set([...datasets.map(({ name }) => name), ...Object.values(DAY_FILES), settings.aliases]);
  const unread = sqlPath === undefined ? names.filter((name) => DATA_FILE.test(name) && !known.has(name)) : [];
  return { folder, datasets, sqlPath, settings, fetched, off: filesOff, aliases, unread };
}

interface Listing {
  readonly record: FetchRecord | undefined;
  /** Of the settings that are in force now. */
  readonly fetch: readonly FetchEntry[];
}

/** Rejects with `source_rejected` where no file of an upstream is known, so that its rows would be read. */
function listOff({ off: { upstreams, fetch: own } }: SourceSettings, { record, fetch }: Listing): readonly OffFile[] {
  const fetched = (record?.files ?? []).map(
    ({ upstream, file, unzipped, carry }): OffFile => ({
      upstream,
      file,
      folder: carry?.folder ?? unzipped?.folder ?? null,
      columns: carry?.columns ?? {},
    }),
  );
  const all = [...[...fetch, ...own].map(offFileFrom), ...(record?.off ?? []), ...fetched];
  return upstreams.flatMap(({ id }) => {
    const files = all.filter(({ upstream }) => upstream === id);
    if (files.length > 0) return files;
    throw new AppError(
      'source_rejected',
      `${id} is off in source.json, but none of its files is listed in fetch, so its rows can't be left out; remove it from upstreams and source.sql`,
    );
  });
}

function withoutOff(record: FetchRecord, { off: { upstreams } }: SourceSettings): FetchRecord {
  const isOn = (id: string) => !upstreams.some((upstream) => upstream.id === id);
  return {
    ...record,
    upstreams: record.upstreams.filter(({ id }) => isOn(id)),
    files: record.files.filter(({ upstream }) => isOn(upstream)),
  };
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
  const listed = [...settings.fetch, ...settings.off.fetch];
  if (listed.length === 0) return undefined;
  // Checked first: a night that would be rejected fetches nothing.
  const isFetched = listed.some(({ file }) => file === settings.aliases);
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
  { aliases: name, upstreams, off }: SourceSettings,
): Promise<AliasTable | undefined> {
  if (name === undefined) return undefined;
  const path = await findFirst(root, folders, name);
  const ids = [...upstreams, ...off.upstreams].map(({ id }) => id);
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
