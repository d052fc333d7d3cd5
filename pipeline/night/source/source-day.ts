import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import { type Day, isDay } from '../../../schemas/day.ts';
import { AppError, messageFromError } from '../../../schemas/errors.ts';
import { type AliasTable, loadAliasTable } from '../../aliases/alias-table.ts';
import type { FetchRecord } from '../../fetch/day/fetch-record.ts';
import { assertFile, assertFolder, assertTree, isFile } from '../../source/source-paths.ts';
import { loadSettings, type SourceSettings } from '../../source/source-settings.ts';
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
}

const DATED = /^\d{4}-\d{2}-\d{2}$/;
const DATASET_FILE = new RegExp(`^(${DATASET_NAMES.join('|')})\\.(?:(jsonl|json|csv)(\\.gz)?|(parquet))$`);

/**
 * The dated sub-folders of a source, oldest first; rejects where one is not a calendar day. A dated link counts, unless it is
 * one to a file: where it leads nowhere, or outside, the night of that day says so, and other days go on.
 */
export async function listSourceDays(root: string): Promise<readonly Day[]> {
  const days: string[] = [];
  for (const entry of await readFolder(root)) {
    if (!DATED.test(entry.name)) continue;
    if (entry.isDirectory() || (entry.isSymbolicLink() && !(await isFile(root, join(root, entry.name)))))
      days.push(entry.name);
  }
  const impossible = days.filter((day) => !isDay(day));
  if (impossible.length > 0) {
    throw new AppError(
      'source_rejected',
      `${root}: ${impossible.join(', ')} ${impossible.length === 1 ? 'is not a calendar day' : 'are not calendar days'}`,
    );
  }
  return days.sort();
}

/**
 * Finds a day's files: in the sub-folder of that day where the source has dated folders, else in the source itself.
 * Rejects with `source_rejected` where there is nothing to read.
 */
export async function findSourceDay(root: string, day: Day): Promise<SourceDay> {
  const days = await listSourceDays(root);
  if (days.length > 0 && !days.includes(day)) {
    throw new AppError('source_rejected', `${root} has no folder ${day}; it holds ${days[0]} to ${days.at(-1)}`);
  }
  if (days.length > 0) await assertFolder(root, join(root, day));
  const folders = days.length > 0 ? [join(root, day), root] : [root];
  const folder = resolve(folders[0] ?? root);
  const datasets = datasetsFromNames(
    folder,
    (await readFolder(folder)).map((entry) => entry.name),
  );
  for (const { path } of datasets) await assertFile(resolve(root), path);
  const sqlPath = await findFirst(root, folders, 'source.sql');
  if (sqlPath !== undefined) await assertTree(resolve(root), folder);
  if (datasets.length === 0 && sqlPath === undefined) {
    throw new AppError(
      'source_rejected',
      `${folder} has no data: expected one of ${DATASET_NAMES.map((name) => `${name}.jsonl`).join(', ')} ` +
        '(or .jsonl.gz, .json, .csv, .parquet), or a source.sql',
    );
  }
  const fetched = await findFetched(folder, day);
  const settings = await loadSettings(await findFirst(root, folders, 'source.json'));
  const aliases = await findAliases(root, folders, settings);
  return { folder, datasets, sqlPath, settings, fetched, aliases };
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
    const format = SOURCE_FORMATS.find((candidate) => candidate === (text ?? parquet));
    const known = DATASET_NAMES.find((candidate) => candidate === dataset);
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

async function readFolder(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    throw new AppError('source_rejected', `the source ${folder} can't be read: ${messageFromError(cause)}`, { cause });
  }
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
