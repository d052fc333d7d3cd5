import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { DATASET_NAMES, DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import { type DatasetFile, idFromSnapshot } from '../../schemas/manifest.ts';
import { majorOf, type RecordVersion } from '../../schemas/record-version.ts';
import { storedColumns } from '../../schemas/record-versions.ts';
import { type Database, writeLines, writeParquet } from '../../storage/duckdb/database.ts';
import { columnList, entityIdSql, lineSql } from '../../storage/duckdb/record-sql.ts';
import { gzipLines } from '../../storage/gzip-lines.ts';
import { RELEASE_PATHS, snapshotPaths } from '../../storage/keys.ts';
import { allEnded } from '../run/concurrency.ts';
import type { WorkDeps } from '../run/run.ts';
import type { Alias } from '../source/aliases.ts';
import type { Counts } from './check/check.ts';
import type { NightVersions } from './previous.ts';
import { table } from './tables.ts';

interface SnapshotDeps extends Omit<WorkDeps, 'store'> {
  /** Becomes the release; files have their release paths in it. */
  readonly folder: string;
}

/** A night's public files in one version of the records. */
export interface SnapshotFiles {
  readonly id: string;
  readonly version: RecordVersion;
  /** In dataset order. */
  readonly files: readonly DatasetFile[];
}

export interface WrittenSnapshot {
  readonly inForce: SnapshotFiles;
  readonly noticed: readonly SnapshotFiles[];
}

export interface SnapshotInput {
  readonly day: Day;
  readonly versions: NightVersions;
  /** Records in force. */
  readonly records: Counts;
  /** The source's names of models; undefined without such a table. */
  readonly aliases: readonly Alias[] | undefined;
}

/**
 * A stage of the night: writes the release's files, except manifests, release.json (specification "Store layout") and
 * those of {@link writeState}. Resolves to the public files.
 */
export async function writeSnapshot(
  { day, versions, records, aliases }: SnapshotInput,
  deps: SnapshotDeps,
): Promise<WrittenSnapshot> {
  await mkdir(join(deps.folder, 'state'), { recursive: true });
  const inForce = { id: idFromSnapshot({ day, noticedMajor: null }), version: versions.inForce };
  const largestFirst = [...DATASET_NAMES].sort((left, right) => records[right] - records[left]);
  const files = await writeFiles(inForce, largestFirst, deps);
  await writePart(deps, 'SELECT * FROM changes ORDER BY seq', RELEASE_PATHS.changes);
  await writePart(deps, 'SELECT * FROM suspects ORDER BY model_id, provider', RELEASE_PATHS.suspects);
  await writePart(deps, 'SELECT * FROM removed ORDER BY dataset, id', RELEASE_PATHS.removed);
  await writePart(deps, UNPUBLISHED, RELEASE_PATHS.unpublished);
  if (aliases !== undefined) await writeAliases(aliases, deps);
  const written = { ...inForce, files: await allEnded(files) };
  const noticed: SnapshotFiles[] = [];
  for (const version of versions.noticed) {
    const snapshot = { id: idFromSnapshot({ day, noticedMajor: majorOf(version) }), version };
    noticed.push({ ...snapshot, files: await allEnded(await writeFiles(snapshot, largestFirst, deps)) });
  }
  return { inForce: written, noticed };
}

/**
 * Resolves when all lines are written; compression goes on. The largest file comes first: compressing it takes as long
 * as writing all others.
 */
async function writeFiles(
  snapshot: Omit<SnapshotFiles, 'files'>,
  largestFirst: readonly DatasetName[],
  deps: SnapshotDeps,
): Promise<readonly Promise<DatasetFile>[]> {
  const paths = snapshotPaths(snapshot);
  await mkdir(join(deps.folder, dirname(paths.manifest)), { recursive: true });
  const files = new Map<DatasetName, Promise<DatasetFile>>();
  for (const name of largestFirst) {
    const lines = await writeDatasetLines(name, snapshot, deps);
    const file = compressLines(name, lines, join(deps.folder, paths.dataset(name)));
    file.catch(() => undefined); // Handled by the awaiting caller; a failed COPY may come before that.
    files.set(name, file);
  }
  return DATASET_NAMES.flatMap((name) => files.get(name) ?? []);
}

interface DatasetLines {
  readonly path: string;
  readonly records: number;
}

async function writeDatasetLines(
  name: DatasetName,
  { id, version }: Omit<SnapshotFiles, 'files'>,
  { database, scratch }: SnapshotDeps,
): Promise<DatasetLines> {
  const path = join(scratch, `${id}.${name}.lines`);
  const line = lineSql(version.datasets[name]);
  const select = `SELECT ${line} AS line FROM ${table('merged', name)} WHERE op <> 'delete'`;
  return { path, records: await writeLines(database, select, path) };
}

async function compressLines(name: DatasetName, lines: DatasetLines, to: string): Promise<DatasetFile> {
  const gzip = await gzipLines(lines.path, to);
  await rm(lines.path);
  return { name, format: 'jsonl.gz', records: lines.records, ...gzip };
}

/** Writes each dataset's state, where the next night starts, and its ended intervals. */
export async function writeState(
  version: RecordVersion,
  deps: Pick<SnapshotDeps, 'database' | 'folder'>,
): Promise<void> {
  for (const folder of ['state', 'history']) await mkdir(join(deps.folder, folder), { recursive: true });
  for (const name of DATASET_NAMES) {
    const columns = columnList(storedColumns(name, version));
    const state = `SELECT ${columns}, valid_from FROM ${table('merged', name)} WHERE op <> 'delete'`;
    await writePart(deps, state, RELEASE_PATHS.state(name));
    await writePart(deps, `SELECT * FROM ${table('closed', name)}`, RELEASE_PATHS.history(name));
  }
}

/**
 * The part of the state that neither the snapshot nor the previous state holds (decision 0044). One row per carried
 * record, and per new or changed score, with its sample size; by dataset and entity id.
 */
const UNPUBLISHED = `${DATASET_NAMES.map(
  (name) => `SELECT '${name}' AS dataset, ${entityIdSql(DATASETS[name])} AS entity_id, op,
    ${name === 'scores' ? "if(op = 'upsert', n, NULL)" : 'NULL::BIGINT'} AS n
    FROM ${table('merged', name)} WHERE op = 'carry'${name === 'scores' ? " OR op = 'upsert'" : ''}`,
).join(' UNION ALL ')} ORDER BY dataset, entity_id`;

function writePart(
  { database, folder }: Pick<SnapshotDeps, 'database' | 'folder'>,
  select: string,
  path: string,
): Promise<void> {
  return writeParquet(database, select, join(folder, path));
}

/** One row per name, by upstream and id. Equal names give equal bytes. */
async function writeAliases(
  aliases: readonly Alias[],
  { database, folder }: { readonly database: Database; readonly folder: string },
): Promise<void> {
  await database.run(
    `CREATE TABLE aliases AS SELECT unnest($1::JSON::STRUCT(upstream VARCHAR, id VARCHAR, model_id VARCHAR)[], recursive := true)`,
    [JSON.stringify(aliases)], // As text: an empty list can't be bound.
  );
  const path = join(folder, RELEASE_PATHS.aliases);
  await writeParquet(database, 'SELECT upstream, id, model_id FROM aliases ORDER BY upstream, id', path);
}
