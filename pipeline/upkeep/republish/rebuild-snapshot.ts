import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../runtime/errors.ts';
import { DATASETS, type DatasetName } from '../../../schemas/datasets.ts';
import type { DatasetFile, Manifest } from '../../../schemas/manifest.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { getVersion } from '../../../schemas/record-versions.ts';
import type { Release } from '../../../schemas/release.ts';
import { loadRelease } from '../../../storage/catalog.ts';
import { sqlText, writeLines } from '../../../storage/duckdb/database.ts';
import { lineSql } from '../../../storage/duckdb/record-sql.ts';
import { fetchReleaseFile } from '../../../storage/fetch-object.ts';
import { gzipLines, unpackLines } from '../../../storage/gzip-lines.ts';
import { RELEASE_PATHS } from '../../../storage/keys.ts';
import { linesSql, noLinesSql, replaySql } from '../../proof/replay-sql.ts';
import type { WorkDeps } from '../../run/run.ts';

/** What a snapshot's file is rebuilt from, and where. */
export interface RebuildDeps extends WorkDeps {
  readonly release: Release;
  readonly versions: readonly RecordVersion[];
}

/** A file of a snapshot, in whichever version of the records. */
export interface SnapshotFile {
  readonly manifest: Manifest;
  readonly name: DatasetName;
}

/**
 * Writes a snapshot's `jsonl.gz` anew from the release's own state. Rejects with `not_found` or `corrupt` where the state is
 * gone or damaged, and with `corrupt` where the result is not, byte for byte, the recorded file.
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
 * {@link rebuildFromState} from the snapshot before and this night's events. A dataset without events (benchmarks) can only
 * be had like this where it did not change, nor its version. A snapshot under notice can't: events are in the version in
 * force.
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

/** The dataset's lines in the snapshot before, as a relation. */
async function previousLines(name: DatasetName, { store, release, scratch }: RebuildDeps): Promise<string> {
  if (release.prev === null) return noLinesSql(DATASETS[name]);
  const packed = join(scratch, `${name}.before.gz`);
  await fetchReleaseFile(store, await loadRelease(store, release.prev), RELEASE_PATHS.snapshot(name), packed);
  const lines = join(scratch, `${name}.before`);
  await unpackLines(packed, lines);
  return linesSql(DATASETS[name], lines);
}

interface Rebuilding {
  readonly to: string;
  /** One row per line, in order; one column. */
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
