import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError, messageFromError } from '../../../runtime/errors.ts';
import type { CatalogEntry } from '../../../schemas/catalog.ts';
import { DATASET_NAMES, DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import type { Release } from '../../../schemas/release.ts';
import { type Database, writeLines } from '../../../storage/duckdb/database.ts';
import { recordsSql } from '../../../storage/duckdb/record-files.ts';
import { objectSql } from '../../../storage/duckdb/record-sql.ts';
import { fetchReleaseFile } from '../../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../../storage/keys.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';

export interface SourceToWrite {
  readonly store: ObjectStore;
  readonly entry: CatalogEntry;
  readonly release: Release;
  readonly database: Database;
  /** Folder for fetched files. */
  readonly scratch: string;
}

/**
 * Writes a release's records as a source, `<dataset>.jsonl`, each file read proven by its recorded hash; resolves to what is missing
 * from it, for people. Where the state is no longer kept the files are those of the snapshot, which lacks what isn't published. Where
 * that fails it leaves none of them, for a part of the records reads as a whole source; rejects with `usage` where the folder can't be
 * written.
 */
export async function writeSource(source: SourceToWrite, into: string): Promise<readonly string[]> {
  const { store, entry, release } = source;
  const hasState = entry.parts.includes('state');
  const pathOf = (name: DatasetName) => join(into, `${name}.jsonl${hasState ? '' : '.gz'}`);
  try {
    await mkdir(into, { recursive: true });
    for (const name of DATASET_NAMES) {
      if (hasState) await writeState(name, source, pathOf(name));
      else await fetchReleaseFile(store, release, RELEASE_PATHS.snapshot(name), pathOf(name));
    }
  } catch (cause) {
    for (const name of DATASET_NAMES) await rm(pathOf(name), { force: true }).catch(() => {});
    if (isAppError(cause)) throw cause;
    throw new AppError('usage', `${into} can't be written: ${messageFromError(cause)}`, { cause });
  }
  const hasNames = release.files.some(({ path }) => path === RELEASE_PATHS.aliases);
  return [...(hasNames ? [NAMES_ARE_MISSING] : []), ...(hasState ? [] : [SAMPLES_ARE_MISSING])];
}

const NAMES_ARE_MISSING =
  'the names of models are not in it: put the source.json and the table of aliases of your source beside the files';
const SAMPLES_ARE_MISSING =
  'the state of that day is no longer kept: the sample sizes of scores are not in it, and scores that have one will count as changed';

async function writeState(name: DatasetName, source: SourceToWrite, to: string): Promise<void> {
  const { store, release, database, scratch } = source;
  const state = join(scratch, `${name}.state.parquet`);
  await fetchReleaseFile(store, release, RELEASE_PATHS.state(name), state);
  const records = await recordsSql(database, DATASETS[name], state);
  await writeLines(database, `SELECT ${objectSql(DATASETS[name].columns)} FROM (${records})`, to);
}
