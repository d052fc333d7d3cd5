import { join } from 'node:path';
import type { Day } from '../../runtime/day.ts';
import { AppError, isAppError } from '../../runtime/errors.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import { DATASET_NAMES, DATASETS, type DatasetName } from '../../schemas/datasets.ts';
import type { RecordVersion } from '../../schemas/record-version.ts';
import { getVersion, noticedVersions, renewedDatasets, versionInForce } from '../../schemas/record-versions.ts';
import type { Release } from '../../schemas/release.ts';
import { loadRelease } from '../../storage/catalog.ts';
import { type Database, recordsSql, sqlText } from '../../storage/duckdb/database.ts';
import { columnDefinitions } from '../../storage/duckdb/record-sql.ts';
import { fetchReleaseFile } from '../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import type { WorkDeps } from '../run/run.ts';
import { REMOVED_COLUMNS, SUSPECT_COLUMNS, table } from './tables.ts';

/** Undefined before the first night. */
export interface Previous {
  readonly entry: CatalogEntry | undefined;
  readonly release: Release | undefined;
}

/**
 * Fetches yesterday's state as `previous_<dataset>`, `previous_suspects` and `previous_removed`: views of files, to
 * save memory; empty tables before the first night. Checks every hash; rejects with `corrupt` or `not_found`, and the
 * remedy.
 */
export async function loadPrevious(entry: CatalogEntry | undefined, deps: WorkDeps): Promise<Previous> {
  if (entry === undefined) {
    await createEmpty(deps.database);
    return { entry, release: undefined };
  }
  try {
    return { entry, release: await loadState(entry, deps) };
  } catch (error) {
    const isDamaged = isAppError(error, 'corrupt') || isAppError(error, 'not_found');
    if (!isDamaged) throw error;
    const remedy = `restore it first: modelstats republish ${entry.day}`;
    throw new AppError(error.code, `${error.message}; ${remedy}`, { cause: error });
  }
}

async function loadState(entry: CatalogEntry, deps: WorkDeps): Promise<Release> {
  const release = await loadRelease(deps.store, entry);
  const fetch = async (name: string, path: string) => {
    const local = join(deps.scratch, `${name}.parquet`);
    await fetchReleaseFile(deps.store, release, path, local);
    return local;
  };
  for (const dataset of DATASET_NAMES) {
    const name = table('previous', dataset);
    const state = await fetch(name, RELEASE_PATHS.state(dataset));
    await deps.database.run(`CREATE VIEW ${name} AS ${await recordsSql(deps.database, DATASETS[dataset], state)}`);
  }
  for (const [name, path] of [
    ['previous_suspects', RELEASE_PATHS.suspects],
    ['previous_removed', RELEASE_PATHS.removed],
  ] as const) {
    await deps.database.run(`CREATE VIEW ${name} AS SELECT * FROM read_parquet(${sqlText(await fetch(name, path))})`);
  }
  return release;
}

async function createEmpty(database: Database): Promise<void> {
  for (const dataset of DATASET_NAMES) {
    const columns = columnDefinitions(DATASETS[dataset]);
    await database.run(`CREATE TABLE ${table('previous', dataset)} (${columns}, valid_from DATE)`);
  }
  await database.run(`CREATE TABLE previous_suspects (${SUSPECT_COLUMNS})`);
  await database.run(`CREATE TABLE previous_removed (${REMOVED_COLUMNS})`);
}

/** The record versions that a night publishes (specification "Record versions"). */
export interface NightVersions {
  /** Of snapshot and events. */
  readonly inForce: RecordVersion;
  /** The night before's; undefined for the first. */
  readonly before: RecordVersion | undefined;
  /** The snapshot is also written in these. */
  readonly noticed: readonly RecordVersion[];
  /** Datasets whose records are all sent again, because their version takes effect with this night. */
  readonly renewed: readonly DatasetName[];
}

interface NightTime {
  readonly day: Day;
  readonly today: Day;
  readonly previous: Previous;
}

/**
 * The versions for a day's night. A store begins in the version in force when its first night runs, and never goes back
 * (decision 0015). Rejects with `usage` where the night before used a version unknown to this program, because going
 * back would change consumers' records unannounced.
 */
export function findNightVersions(versions: readonly RecordVersion[], time: NightTime): NightVersions {
  const { day, today, previous } = time;
  const ofDay = versionInForce(versions, day);
  const before = previous.release === undefined ? undefined : getVersion(versions, previous.release.schema_version);
  const reached = before ?? versionInForce(versions, day > today ? day : today);
  const isReached = (version: RecordVersion) => versions.indexOf(version) <= versions.indexOf(reached);
  const inForce = isReached(ofDay) ? reached : ofDay;
  const noticed = noticedVersions(versions, day).filter((version) => !isReached(version));
  return { inForce, before, noticed, renewed: before === undefined ? [] : renewedDatasets(before, inForce) };
}

/** Explains the large number of events. */
export function renewalNotes(
  { inForce }: NightVersions,
  { firstRenewalSeq, lastSeq }: { readonly firstRenewalSeq: number | null; readonly lastSeq: number },
): readonly string[] {
  if (firstRenewalSeq === null) return [];
  const records = lastSeq - firstRenewalSeq + 1;
  return [`version ${inForce.version} of the records takes effect: ${records} unchanged records are sent again in it`];
}
