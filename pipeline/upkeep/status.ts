import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Day } from '../schemas/day.ts';
import { AppError } from '../schemas/errors.ts';
import type { Release } from '../schemas/release.ts';
import { loadCatalogToContinue, loadRelease, newestEntry } from '../storage/catalog.ts';
import { Database, type DuckDBSettings } from '../storage/duckdb.ts';
import { RELEASE_PATHS } from '../storage/keys.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { fetchReleaseFile } from '../storage/release-files.ts';

/** A price that is held back, and since when (DESIGN §5 "Suspects"). */
export interface PendingSuspect {
  readonly entity_id: string;
  readonly input_per_million: number | null;
  readonly output_per_million: number | null;
  readonly rule: string;
  readonly since: Day;
  /** Captured days on which exactly this price has been seen. */
  readonly days: number;
}

export interface Status {
  readonly store: string;
  readonly snapshots: number;
  readonly first_day: Day | null;
  readonly newest: Release | null;
  readonly suspects: readonly PendingSuspect[];
}

/** What a store holds, and what waits for an operator. */
export async function readStatus(store: ObjectStore, duckdb: Omit<DuckDBSettings, 'tempFolder'>): Promise<Status> {
  const { catalog } = await loadCatalogToContinue(store);
  const entry = newestEntry(catalog);
  const newest = entry === undefined ? null : await loadRelease(store, entry);
  return {
    store: store.url,
    snapshots: catalog?.releases.length ?? 0,
    first_day: catalog?.releases[0]?.day ?? null,
    newest,
    suspects: newest === null || newest.suspects_pending === 0 ? [] : await readSuspects(store, newest, duckdb),
  };
}

async function readSuspects(
  store: ObjectStore,
  release: Release,
  duckdb: Omit<DuckDBSettings, 'tempFolder'>,
): Promise<readonly PendingSuspect[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'modelstats-'));
  const database = await Database.open(':memory:', { ...duckdb, tempFolder: scratch });
  try {
    const path = join(scratch, 'suspects.parquet');
    await fetchReleaseFile(store, release, RELEASE_PATHS.suspects, path);
    const rows = await database.rows(
      `SELECT entity_id, input_per_million, output_per_million, rule, since, days FROM read_parquet($1) ORDER BY entity_id`,
      [path],
    );
    return rows.map(suspectFromRow);
  } finally {
    database.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

function suspectFromRow(row: Readonly<Record<string, unknown>>): PendingSuspect {
  const price = (name: string) => (typeof row[name] === 'number' ? row[name] : null);
  const { entity_id, rule, since, days } = row;
  if (
    typeof entity_id !== 'string' ||
    typeof rule !== 'string' ||
    typeof since !== 'string' ||
    typeof days !== 'number'
  ) {
    throw new AppError('corrupt', `${RELEASE_PATHS.suspects} has an unexpected row: ${JSON.stringify(row)}`);
  }
  return {
    entity_id,
    input_per_million: price('input_per_million'),
    output_per_million: price('output_per_million'),
    rule,
    since,
    days,
  };
}
