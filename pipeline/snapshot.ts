import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DATASET_NAMES, DATASETS, type DatasetName } from '../schemas/datasets.ts';
import type { DatasetFile } from '../schemas/manifest.ts';
import { type Database, sqlText } from '../storage/duckdb.ts';
import { gzipLines } from '../storage/gzip-lines.ts';
import { RELEASE_PATHS } from '../storage/keys.ts';
import { columnList, lineSql } from '../storage/record-sql.ts';
import { table } from './tables.ts';

export interface SnapshotDeps {
  readonly database: Database;
  /** Folder that becomes the release; files lie in it under their release paths. */
  readonly folder: string;
  /** Folder for files on the way. */
  readonly scratch: string;
}

/**
 * Stage 5 of the night: writes everything the release will hold, except its manifest and release.json (DESIGN §5, §6).
 * Resolves to the public files in dataset order.
 */
export async function writeSnapshot(deps: SnapshotDeps): Promise<readonly DatasetFile[]> {
  for (const folder of ['snapshot', 'state', 'history']) await mkdir(join(deps.folder, folder), { recursive: true });
  const files: Promise<DatasetFile>[] = [];
  for (const name of DATASET_NAMES) {
    const lines = await writeDatasetLines(name, deps);
    // Compressed while DuckDB writes the next files: neither uses all cores all the time.
    const file = compressLines(name, lines, deps);
    file.catch(() => undefined); // Told by the Promise.all below; a failed COPY may come before it.
    files.push(file);
    await writeState(name, deps);
  }
  await writeParquet(deps, 'SELECT * FROM changes ORDER BY seq', RELEASE_PATHS.changes);
  await writeParquet(deps, 'SELECT * FROM suspects ORDER BY model_id, provider', RELEASE_PATHS.suspects);
  await writeParquet(deps, 'SELECT * FROM removed ORDER BY dataset, id', RELEASE_PATHS.removed);
  return Promise.all(files);
}

interface DatasetLines {
  readonly path: string;
  readonly records: number;
}

async function writeDatasetLines(name: DatasetName, { database, scratch }: SnapshotDeps): Promise<DatasetLines> {
  const path = join(scratch, `${name}.lines`);
  const select = `SELECT ${lineSql(DATASETS[name])} AS line FROM ${table('merged', name)} WHERE op <> 'delete'`;
  return { path, records: await writeLines(database, select, path) };
}

async function compressLines(name: DatasetName, lines: DatasetLines, { folder }: SnapshotDeps): Promise<DatasetFile> {
  const gzip = await gzipLines(lines.path, join(folder, RELEASE_PATHS.snapshot(name)));
  await rm(lines.path);
  return { name, format: 'jsonl.gz', records: lines.records, ...gzip };
}

async function writeState(name: DatasetName, deps: SnapshotDeps): Promise<void> {
  const columns = columnList(DATASETS[name].columns);
  const state = `SELECT ${columns}, valid_from FROM ${table('merged', name)} WHERE op <> 'delete'`;
  await writeParquet(deps, state, RELEASE_PATHS.state(name));
  await writeParquet(deps, `SELECT * FROM ${table('closed', name)}`, RELEASE_PATHS.history(name));
}

async function writeParquet({ database, folder }: SnapshotDeps, select: string, path: string): Promise<void> {
  await database.run(`COPY (${select}) TO ${sqlText(join(folder, path))} (FORMAT parquet, COMPRESSION zstd)`);
}

/**
 * Writes a query's one text column, a line a row, in the query's order; resolves to the number of lines. With neither a
 * quote nor an escape, DuckDB doesn't look for characters to quote; as DuckDB's own JSON is written.
 */
export function writeLines(database: Database, select: string, path: string): Promise<number> {
  const format = `FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER E'\\n'`;
  return database.run(`COPY (${select}) TO ${sqlText(path)} (${format})`);
}
