import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../runtime/errors.ts';
import { contentColumns, DATASETS, type Dataset, type DatasetName } from '../../../schemas/datasets.ts';
import type { DatasetFile, Manifest } from '../../../schemas/manifest.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { getVersion } from '../../../schemas/record-versions.ts';
import type { Release } from '../../../schemas/release.ts';
import { loadRelease } from '../../../storage/catalog.ts';
import { sqlText, writeLines, writeParquet } from '../../../storage/duckdb/database.ts';
import { columnList, entityIdSql, lineSql, sameKeySql } from '../../../storage/duckdb/record-sql.ts';
import { number } from '../../../storage/duckdb/row-shape.ts';
import { fetchLines, fetchReleaseFile } from '../../../storage/fetch-object.ts';
import { gzipLines } from '../../../storage/gzip-lines.ts';
import { hashFile } from '../../../storage/hash.ts';
import { RELEASE_PATHS } from '../../../storage/keys.ts';
import { linesSql, noLinesSql, replaySql } from '../../proof/replay.ts';
import type { WorkDeps } from '../../run/run.ts';
import { assertProven, type Materials } from './materials.ts';

/**
 * Rebuilds a dataset's state from the snapshot, the previous state, and `state/unpublished.parquet`: new and changed
 * records are in force since this day, carried ones since none, others as before. Proven by the snapshot's content and,
 * where it is sound, by the history.
 */
export async function rebuildState(name: DatasetName, to: string, materials: Materials): Promise<void> {
  const { release, database } = materials;
  const dataset = DATASETS[name];
  const published = await materials.publishedRecords(dataset);
  const before = await materials.stateBefore(dataset);
  const unpublished = await unpublishedSql(name, materials);
  const { stored, compared } = materials.columnsOf(dataset);
  const changed = contentColumns({ ...dataset, columns: compared })
    .filter((column) => column.published)
    .map(({ name: column }) => `a.${column} IS DISTINCT FROM b.${column}`);
  // Only a time ahead of the clock was corrected.
  changed.push('b.updated_at > a.updated_at');
  const isChanged = `(b.${dataset.key[0]} IS NULL OR u.op IS NOT DISTINCT FROM 'upsert' OR ${changed.join(' OR ')})`;
  const columns = stored.map((column) =>
    column.published ? `a.${column.name}` : `if(${isChanged}, u.${column.name}, b.${column.name}) AS ${column.name}`,
  );
  const since = release.captured.includes(name) ? `coalesce(b.valid_from, $1::DATE)` : 'b.valid_from';
  await database.run(
    `CREATE OR REPLACE TABLE rebuilt_state AS
     SELECT ${columns.join(', ')}, CASE WHEN ${isChanged} THEN $1::DATE WHEN u.op = 'carry' THEN NULL ELSE ${since} END AS valid_from
     FROM ${published} a LEFT JOIN ${before} b ON ${sameKeySql(dataset, 'a', 'b')}
     LEFT JOIN (${unpublished}) u ON u.entity_id = a.entity_id ORDER BY ${columnList(dataset.key, 'a')}`,
    [release.day],
  );
  await proveContent(dataset, materials);
  await proveHistory(dataset, before, materials);
  await writeParquet(materials.database, 'SELECT * FROM rebuilt_state', to);
}

/**
 * One row per carried record, and per new or changed score, with its sample size. Older programs wrote no such file; it
 * is not needed where nothing was set aside and every column is published.
 */
async function unpublishedSql(name: DatasetName, materials: Materials): Promise<string> {
  const { release } = materials;
  const isSetAside = release.quarantined[name] > 0 || (name === 'pricing' && release.suspects_pending > 0);
  if (!isSetAside && materials.columnsOf(DATASETS[name]).stored.every(({ published }) => published)) {
    return 'SELECT NULL AS entity_id, NULL AS op, NULL::BIGINT AS n WHERE false';
  }
  if (!release.files.some(({ path }) => path === RELEASE_PATHS.unpublished)) {
    const message = `the release has no ${RELEASE_PATHS.unpublished}, without which ${name} can't be rebuilt`;
    throw new AppError('corrupt', message);
  }
  return `SELECT * FROM ${await materials.parquet(RELEASE_PATHS.unpublished)} WHERE dataset = '${name}'`;
}

async function proveContent({ name }: Dataset, materials: Materials): Promise<void> {
  const { release, database, scratch } = materials;
  const lines = join(scratch, 'proven.lines');
  const line = lineSql(materials.versionOf(release).datasets[name]);
  await writeLines(database, `SELECT ${line} FROM rebuilt_state`, lines);
  const { sha256 } = await hashFile(lines);
  const recorded = release.manifest.datasets.find((file) => file.name === name);
  assertProven(sha256 === recorded?.content_sha256, 'its records are not those of the snapshot');
}

async function proveHistory(dataset: Dataset, before: string, materials: Materials): Promise<void> {
  const recorded = await materials.parquet(RELEASE_PATHS.history(dataset.name)).catch(() => undefined);
  if (recorded === undefined) return;
  const closed = closedSql(dataset, { before, after: 'rebuilt_state', materials });
  const { differences } = await materials.database.row(
    { differences: number },
    `SELECT ((SELECT count(*) FROM (${closed} EXCEPT ALL SELECT * FROM ${recorded}))
           + (SELECT count(*) FROM (SELECT * FROM ${recorded} EXCEPT ALL ${closed})))::DOUBLE AS differences`,
  );
  assertProven(differences === 0, 'the intervals that ended this night are not those of its history');
}

/**
 * Rebuilds a night's ended intervals from both states. Proven by the dataset's events, if any: every record in force
 * with an event ended an interval; other ended intervals belong to carried records.
 */
export async function rebuildHistory(name: DatasetName, to: string, materials: Materials): Promise<void> {
  const dataset = DATASETS[name];
  const before = await materials.stateBefore(dataset);
  const after = await materials.parquet(RELEASE_PATHS.state(name));
  const closed = closedSql(dataset, { before, after, materials });
  await materials.database.run(`CREATE OR REPLACE TABLE rebuilt_history AS ${closed}`);
  if (dataset.entityType !== null) await proveEvents(dataset, { before, after, materials });
  await writeParquet(materials.database, `SELECT * FROM rebuilt_history ORDER BY ${columnList(dataset.key)}`, to);
}

interface States {
  /** Relations with the dataset's columns and `valid_from`. */
  readonly before: string;
  readonly after: string;
  readonly materials: Materials;
}

/** Of records that vanished or whose `valid_from` changed. */
function closedSql(dataset: Dataset, { before, after, materials }: States): string {
  const last = materials.previous?.last_captured[dataset.name] ?? null;
  const { stored } = materials.columnsOf(dataset);
  return `SELECT ${columnList(stored, 'b')}, b.valid_from, ${last === null ? 'NULL' : `'${last}'`}::DATE AS valid_to
    FROM ${before} b LEFT JOIN ${after} a ON ${sameKeySql(dataset, 'a', 'b')}
    WHERE b.valid_from IS NOT NULL AND (a.${dataset.key[0]} IS NULL OR a.valid_from IS DISTINCT FROM b.valid_from)`;
}

async function proveEvents(dataset: Dataset, { before, after, materials }: States): Promise<void> {
  const { release, database } = materials;
  const changes = await materials.parquet(RELEASE_PATHS.changes);
  const renewed = release.first_renewal_seq ?? release.last_seq + 1;
  const { missing, unexplained } = await database.row(
    { missing: number, unexplained: number },
    `WITH touched AS (SELECT entity_id FROM ${changes} WHERE entity_type = '${dataset.entityType}' AND seq < $1),
     closed AS (SELECT ${entityIdSql(dataset)} AS entity_id FROM rebuilt_history),
     held AS (SELECT ${entityIdSql(dataset)} AS entity_id FROM ${before} WHERE valid_from IS NOT NULL),
     carried AS (SELECT ${entityIdSql(dataset)} AS entity_id FROM ${after} WHERE valid_from IS NULL)
     SELECT (SELECT count(*) FROM touched SEMI JOIN held USING (entity_id) ANTI JOIN closed USING (entity_id))::DOUBLE AS missing,
       (SELECT count(*) FROM closed ANTI JOIN touched USING (entity_id) ANTI JOIN carried USING (entity_id))::DOUBLE AS unexplained`,
    [renewed],
  );
  assertProven(
    missing === 0 && unexplained === 0,
    `${missing + unexplained} of its intervals are not those of the events`,
  );
}

export interface RebuildDeps extends WorkDeps {
  readonly release: Release;
  readonly versions: readonly RecordVersion[];
}

/** In any version of the records. */
export interface SnapshotFile {
  readonly manifest: Manifest;
  readonly name: DatasetName;
}

/**
 * Rebuilds a snapshot's `jsonl.gz` from the release's state. Rejects with `not_found` or `corrupt` where the state is
 * missing or damaged, and with `corrupt` where the bytes differ from the recorded ones.
 */
export async function rebuildFromState(file: SnapshotFile, to: string, deps: RebuildDeps): Promise<void> {
  const { name, manifest } = file;
  const { datasets } = getVersion(deps.versions, manifest.schema_version);
  const state = join(deps.scratch, `${name}.parquet`);
  await fetchReleaseFile(deps.store, deps.release, RELEASE_PATHS.state(name), state);
  const select = `SELECT ${lineSql(datasets[name])} FROM read_parquet(${sqlText(state)})`;
  await writeSnapshotFile(file, { to, select }, deps);
}

/**
 * {@link rebuildFromState} from the previous snapshot and the events. Benchmarks, without events, must be unchanged,
 * also in version. Not for noticed snapshots, whose version has no events.
 */
export async function rebuildByReplay(file: SnapshotFile, to: string, deps: RebuildDeps): Promise<void> {
  const { name } = file;
  const previous = await previousLines(name, deps);
  const changes = join(deps.scratch, 'changes.parquet');
  await fetchReleaseFile(deps.store, deps.release, RELEASE_PATHS.changes, changes);
  const events = `SELECT * FROM read_parquet(${sqlText(changes)})`;
  const hasEvents = DATASETS[name].entityType !== null;
  const select = hasEvents
    ? replaySql(DATASETS[name], { previous, changes: events })
    : `SELECT line FROM (${previous})`;
  await writeSnapshotFile(file, { to, select }, deps);
}

async function previousLines(name: DatasetName, { store, release, scratch }: RebuildDeps): Promise<string> {
  if (release.prev === null) return noLinesSql(DATASETS[name]);
  const lines = join(scratch, `${name}.before`);
  await fetchLines(store, await loadRelease(store, release.prev), name, lines);
  return linesSql(DATASETS[name], lines);
}

interface Rebuilding {
  readonly to: string;
  /** One row per line, in order. */
  readonly select: string;
}

async function writeSnapshotFile(file: SnapshotFile, { to, select }: Rebuilding, deps: RebuildDeps): Promise<void> {
  const recorded = getDatasetFile(file);
  const lines = join(deps.scratch, `${file.name}.lines`);
  await writeLines(deps.database, select, lines);
  await rm(to, { force: true });
  const found = await gzipLines(lines, to);
  if (found.content_sha256 !== recorded.content_sha256) {
    throw new AppError('corrupt', `it gives other records than the recorded ones (sha256 ${found.content_sha256})`);
  }
  if (found.sha256 !== recorded.sha256) {
    throw new AppError(
      'corrupt',
      `it gives the recorded records, but zlib ${process.versions['zlib']} here packs them differently from the one that ` +
        `published them (modelstats ${deps.release.tool_version}): use the Node.js of that time, or copy from another store`,
    );
  }
}

function getDatasetFile({ manifest, name }: SnapshotFile): DatasetFile {
  const file = manifest.datasets.find((dataset) => dataset.name === name);
  if (file === undefined) throw new AppError('corrupt', `the manifest of ${manifest.id} has no ${name}`);
  return file;
}
