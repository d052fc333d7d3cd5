import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Day } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import { type AliasTable, loadAliasTable } from '../../aliases/alias-table.ts';
import type { FetchRecord } from '../../fetch/day/fetch-record.ts';
import { DAY_FILES } from '../../source/fetch-list/fetch-paths.ts';
import { assertFile, assertFolder, assertTree } from '../../source/source-paths.ts';
import { loadSettings, type SourceSettings } from '../../source/source-settings.ts';
import { describeDayLike, listDayLikeFolders, listSourceDays, readFolder } from './day-folders.ts';
import { findFetched } from './fetched-day.ts';

export const SOURCE_FORMATS = ['jsonl', 'json', 'csv', 'parquet'] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];

/** The file that holds a dataset's rows of one day. */
export interface DatasetSource {
  readonly dataset: DatasetName;
  readonly name: string;
  readonly path: string;
  readonly format: SourceFormat;
  readonly compressed: boolean;
}

/** Where one day's raw rows come from (specification "Source folder"). */
export interface SourceDay {
  readonly folder: string;
  readonly datasets: readonly DatasetSource[];
  /** `source.sql` beside the files or in the folder above the days. */
  readonly sqlPath: string | undefined;
  readonly settings: SourceSettings;
  /** What was fetched into the folder; undefined where nothing was. */
  readonly fetched: FetchRecord | undefined;
  /** The names of models that it keeps; undefined where its settings name no table of them. */
  readonly aliases: AliasTable | undefined;
  /** Files of the folder that look like data and are no dataset's; none where a `source.sql` may read them. */
  readonly unread: readonly string[];
}

const DATASET_FILE = new RegExp(`^(${DATASET_NAMES.join('|')})\\.(?:(jsonl|json|csv|tsv)(\\.gz)?|(parquet))$`, 'i');
const DATA_FILE = /\.(?:(?:jsonl|ndjson|json|csv|tsv)(?:\.gz)?|parquet)$/i;

/**
 * Finds a day's files: in the sub-folder of that day where the source has dated folders, else in the source itself.
 * Rejects with `source_rejected` where there is nothing to read.
 */
export async function findSourceDay(root: string, day: Day): Promise<SourceDay> {
  const days = await listSourceDays(root);
  if (days.length > 0 && !days.includes(day)) throw await noSuchDay(root, { day, days });
  if (days.length > 0) await assertFolder(root, join(root, day));
  const folders = days.length > 0 ? [join(root, day), root] : [root];
  const folder = resolve(folders[0] ?? root);
  const names = (await readFolder(folder)).map((entry) => entry.name);
  const datasets = datasetsFromNames(folder, names);
  for (const { path } of datasets) await assertFile(resolve(root), path);
  const sqlPath = await findFirst(root, folders, 'source.sql');
  if (sqlPath !== undefined) await assertTree(resolve(root), folder);
  if (datasets.length === 0 && sqlPath === undefined) throw await noData(root, folder);
  const fetched = await findFetched(folder, day);
  const settings = await loadSettings(await findFirst(root, folders, 'source.json'));
  const aliases = await findAliases(root, folders, settings);
  const known = new Set([...datasets.map(({ name }) => name), ...Object.values(DAY_FILES), settings.aliases]);
  const unread = sqlPath === undefined ? names.filter((name) => DATA_FILE.test(name) && !known.has(name)) : [];
  return { folder, datasets, sqlPath, settings, fetched, aliases, unread };
}

async function noSuchDay(
  root: string,
  { day, days }: { readonly day: Day; readonly days: readonly Day[] },
): Promise<AppError> {
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
  const names = await listDayLikeFolders(root);
  return names.length === 0 ? '' : `; ${describeDayLike(names)}`;
}

/**
 * The table of names that the settings of a source name, checked; undefined where they name none.
 *
 * @param folders in which it may lie, the first first
 * @throws AppError `source_rejected` where it isn't there, or wrong
 */
export async function findAliases(
  root: string,
  folders: readonly string[],
  { aliases: name, upstreams }: Pick<SourceSettings, 'aliases' | 'upstreams'>,
): Promise<AliasTable | undefined> {
  if (name === undefined) return undefined;
  const path = await findFirst(root, folders, name);
  if (path !== undefined)
    return loadAliasTable(
      path,
      upstreams.map(({ id }) => id),
    );
  throw new AppError(
    'source_rejected',
    `${resolve(folders[0] ?? root)}: ${name}, which source.json names as aliases, is not there`,
  );
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

/** The format that a file's ending names. */
function formatOf(ending: string): SourceFormat | undefined {
  const format = ending.toLowerCase();
  return format === 'tsv' ? 'csv' : SOURCE_FORMATS.find((candidate) => candidate === format);
}

/** @param root of the source, in which the file must lie */
async function findFirst(root: string, folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = resolve(folder, name);
    if ((await lstat(path).catch(() => undefined)) === undefined) continue;
    await assertFile(resolve(root), path);
    return path;
  }
  return undefined;
}
