import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type NightDeps, runNight } from '../pipeline/night.ts';
import type { NightResult } from '../pipeline/night-result.ts';
import { addDays, type Day } from '../schemas/day.ts';
import type { RecordVersion } from '../schemas/record-version.ts';
import { Database } from '../storage/duckdb.ts';
import { openStore } from '../storage/open-store.ts';

/** The folder of a fixture source. */
export function fixtureSource(name: string): string {
  return resolve(import.meta.dirname, '../fixtures', name);
}

export interface NightOptions {
  readonly accept?: boolean;
  readonly acceptSuspects?: readonly string[];
}

/** A store in a folder of its own, with all that a night needs; `dispose` removes it. */
export interface TemporaryStore {
  /** Where the store's objects lie, a file per key. */
  readonly folder: string;
  readonly deps: NightDeps;
  /** Reads the store's Parquet files. */
  readonly reader: Database;
  night(source: string, day: Day, options?: NightOptions): Promise<NightResult>;
  dispose(): Promise<void>;
}

export interface TemporaryStoreOptions {
  /** Begins the run ids: letters and digits. */
  readonly runPrefix?: string;
  /** Time of day, after the captured day, at which each night starts. */
  readonly startsAt?: string;
  /** DuckDB's threads. */
  readonly threads?: number;
  /** Versions of the records; those of production unless given. */
  readonly versions?: readonly RecordVersion[];
}

/**
 * Opens an empty store. Runs are numbered, and every night starts on the morning after its day, so that two runs of a
 * test give the same bytes.
 */
export async function openTemporaryStore(options: TemporaryStoreOptions = {}): Promise<TemporaryStore> {
  const { runPrefix = 'RUN', startsAt = '00:20:00Z', threads = 1, versions } = options;
  const root = await mkdtemp(join(tmpdir(), 'modelstats-nights-'));
  const folder = join(root, 'store');
  let [now, runs] = [new Date(0), 0];
  const newRunId = () => {
    runs += 1;
    return `${runPrefix}${String(runs).padStart(2, '0')}`;
  };
  const duckdb = { memoryLimit: '500MB', threads };
  const reader = await Database.open(':memory:', { ...duckdb, tempFolder: join(root, 'reader') });
  const deps: NightDeps = {
    store: await openStore(`file:${folder}`),
    clock: () => now,
    newRunId,
    workFolder: join(root, 'work'),
    duckdb,
    limits: { lineBytesMax: 1 << 20, fileBytesMax: 1 << 30 },
    uploadsMax: 4,
    toolVersion: '0.0.0-test',
    onStage: () => {},
    ...(versions === undefined ? {} : { versions }),
  };
  return {
    folder,
    deps,
    reader,
    night: (source, day, { accept = false, acceptSuspects = [] } = {}) => {
      now = new Date(`${addDays(day, 1)}T${startsAt}`);
      return runNight({ day, source, dryRun: false, accept, acceptSuspects }, deps);
    },
    dispose: async () => {
      reader.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
