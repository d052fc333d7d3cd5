/**
 * The floor of a night: the same snapshot written alone, from typed rows in memory, in the best way the project knows.
 * Run as a process of its own: `tsx bench/floor.ts <folder of a release> <folder to write to>`; prints a FloorResult.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { configFromEnv } from '../bin/config/config.ts';
import { DATASET_NAMES } from '../schemas/datasets.ts';
import { getVersion, RECORD_VERSIONS } from '../schemas/record-versions.ts';
import { ReleaseSchema } from '../schemas/release.ts';
import { Database, writeLines } from '../storage/duckdb/database.ts';
import { columnList, lineSql } from '../storage/duckdb/record-sql.ts';
import { gzipLines } from '../storage/gzip-lines.ts';
import { RELEASE_PATHS } from '../storage/keys.ts';

export interface FloorResult {
  /** Reading the typed rows of the published state into DuckDB. */
  readonly loadMs: number;
  /** DuckDB sort and JSON, gzip, sha256 of both sides. */
  readonly writeMs: number;
  /** Processor time of that, over all threads. */
  readonly writeCpuMs: number;
  /** Of the uncompressed lines, by dataset: equal to the manifest's, or the floor did other work than the night. */
  readonly contentSha256: Readonly<Record<string, string>>;
}

async function writeFloor(release: string, folder: string): Promise<FloorResult> {
  await mkdir(folder, { recursive: true });
  const { schema_version } = ReleaseSchema.parse(
    JSON.parse(await readFile(join(release, RELEASE_PATHS.release), 'utf8')),
  );
  const { datasets } = getVersion(RECORD_VERSIONS, schema_version);
  const { duckdb } = configFromEnv(process.env);
  const settings = { ...duckdb, tempFolder: join(folder, 'tmp') };
  const database = await Database.open(':memory:', settings);
  const started = performance.now();
  for (const name of DATASET_NAMES) {
    const state = join(release, RELEASE_PATHS.state(name));
    await database.run(`CREATE TABLE ${name} AS SELECT * FROM read_parquet($1)`, [state]);
  }
  const loaded = performance.now();
  const cpuBefore = process.cpuUsage();
  const hashes: [string, string][] = [];
  for (const name of DATASET_NAMES) {
    const lines = join(folder, `${name}.lines`);
    const order = columnList(datasets[name].key);
    await writeLines(database, `SELECT ${lineSql(datasets[name])} AS line FROM ${name} ORDER BY ${order}`, lines);
    hashes.push([name, (await gzipLines(lines, join(folder, `${name}.jsonl.gz`))).content_sha256]);
    await rm(lines);
  }
  const written = performance.now();
  const cpu = process.cpuUsage(cpuBefore);
  database.close();
  return {
    loadMs: loaded - started,
    writeMs: written - loaded,
    writeCpuMs: (cpu.user + cpu.system) / 1000,
    contentSha256: Object.fromEntries(hashes),
  };
}

const [releaseFolder, newFolder] = process.argv.slice(2);
if (releaseFolder === undefined || newFolder === undefined)
  throw new Error('usage: floor.ts RELEASE_FOLDER NEW_FOLDER');
console.log(JSON.stringify(await writeFloor(releaseFolder, newFolder)));
