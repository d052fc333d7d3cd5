import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ulid } from 'ulid';
import { backfillPricing } from '../../../pipeline/backfill/backfill.ts';
import { type NightDeps, runNight } from '../../../pipeline/night/night.ts';
import { prune } from '../../../pipeline/upkeep/prune.ts';
import { republish } from '../../../pipeline/upkeep/republish/republish.ts';
import { addDays, type Day } from '../../../runtime/day.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import type { Retention } from '../../../schemas/retention.ts';
import { Database, type DuckDBSettings } from '../../../storage/duckdb/database.ts';
import { openStore } from '../../../storage/open-store.ts';
import { FETCH_SETUP } from '../fetch/fetch-setup.ts';
import { KeptNights } from './kept-nights.ts';
import { pruneDeps, upkeepDeps } from './upkeep.ts';
import { type DayRows, linesFromRows, writeDay } from './write-day.ts';

/** A store in a folder of its own, with all that its nights need; `dispose` removes it. */
export type TemporaryStore = Awaited<ReturnType<typeof openTemporaryStore>>;

export interface NightOptions {
  readonly accept?: boolean;
  readonly acceptSuspects?: readonly string[];
}

/** What a day's source has beside its rows. */
export interface DaySource {
  readonly settings?: object;
  /** Its table of names, `aliases.csv`, which the settings don't name by themselves. */
  readonly aliases?: string;
}

export interface TemporaryStoreOptions {
  /** Begins the run ids: letters and digits. */
  readonly runPrefix?: string;
  /** Time of day, after the captured day, at which each night starts. */
  readonly startsAt?: string;
  readonly threads?: number;
  readonly memoryLimit?: string;
  /** Versions of the records; those of production unless given. */
  readonly versions?: readonly RecordVersion[];
}

/** What all nights of tests have in common. */
export const NIGHT_SETTINGS = {
  duckdb: { memoryLimit: '500MB', threads: 1 },
  limits: { lineBytesMax: 1 << 20, fileBytesMax: 1 << 30, rowsMax: 1e7, ratioMax: 200, sqlTimeoutMs: 60_000 },
  fetching: FETCH_SETUP,
  uploadsMax: 4,
  toolVersion: '0.0.0-test',
  onStage: () => {},
} as const satisfies Partial<NightDeps>;

/**
 * Opens an empty store. Runs are numbered, and every night starts on the morning after its day, so that two runs of a
 * test give the same bytes.
 */
export async function openTemporaryStore(options: TemporaryStoreOptions = {}) {
  const { runPrefix = 'RUN', startsAt = '00:20:00Z', versions } = options;
  const { threads = NIGHT_SETTINGS.duckdb.threads, memoryLimit = NIGHT_SETTINGS.duckdb.memoryLimit } = options;
  const root = await mkdtemp(join(tmpdir(), 'modelstats-nights-'));
  const [folder, source] = [join(root, 'store'), join(root, 'source')];
  let now = new Date(0);
  const runs = { count: 0 };
  const newRunId = () => {
    runs.count += 1;
    return `${runPrefix}${String(runs.count).padStart(2, '0')}`;
  };
  const kept = new KeptNights(root, { ...options, runs });
  const duckdb = { memoryLimit, threads };
  const reader = openWhenAsked({ ...duckdb, tempFolder: join(root, 'reader') });
  const store = await openStore(`file:${folder}`);
  const clock = () => now;
  const workFolder = join(root, 'work');
  const deps: NightDeps = {
    store,
    clock,
    newRunId,
    workFolder,
    ...NIGHT_SETTINGS,
    duckdb,
    ...(versions === undefined ? {} : { versions }),
  };
  /** Runs the night of a day of a source, a folder of its own or a folder of days, or copies it: see {@link KeptNights}. */
  const night = (from: string, day: Day, { accept = false, acceptSuspects = [] }: NightOptions = {}) => {
    now = new Date(`${addDays(day, 1)}T${startsAt}`);
    const request = { day, source: from, dryRun: false, accept, acceptSuspects };
    return kept.night({ source: from, day, options: { accept, acceptSuspects } }, () => runNight(request, deps));
  };
  return {
    /** Where the store's objects lie, a file per key. */
    folder,
    url: `file:${folder}`,
    deps,
    options,
    reader,
    night,
    /** Publishes a day from its rows, whatever the guard says; throws where that fails. */
    publish: async (day: Day, rows: DayRows, { settings, aliases, ...more }: NightOptions & DaySource = {}) => {
      await writeDay(join(source, day), rows);
      if (settings !== undefined) await writeFile(join(source, day, 'source.json'), JSON.stringify(settings));
      if (aliases !== undefined) await writeFile(join(source, day, 'aliases.csv'), aliases);
      const result = await night(source, day, { accept: true, ...more });
      if (result.status !== 'published') throw new Error(`${day} is ${result.status}: ${JSON.stringify(result)}`);
      return result;
    },
    /** Replaces the reconstructed prices, at an instant. */
    backfill: async (rows: readonly object[], at: string) => {
      const table = join(root, 'table.jsonl');
      await writeFile(table, linesFromRows(rows));
      const atInstant = { ...deps, newRunId: () => ulid(Date.parse(at)), onStage: () => {} };
      return backfillPricing({ table, from: null, dryRun: false }, atInstant);
    },
    prune: async (retention: Retention) => {
      await prune({ dryRun: false }, { ...pruneDeps(workFolder), store, clock, retention });
    },
    /** Puts back what of a snapshot's files is lost or damaged; throws where that fails. */
    republish: async (day: Day) => {
      const upkeep = { ...upkeepDeps(workFolder), clock, duckdb };
      const result = await republish(day, { ...upkeep, origin: store, second: undefined, onFile: () => {} });
      if (!result.ok) throw new Error(JSON.stringify(result));
    },
    dispose: async () => {
      await reader.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

export type Reader = Pick<Database, 'run' | 'rows'>;

/** A database in memory that is opened when it is first asked something. */
function openWhenAsked(settings: DuckDBSettings): Reader & { close(): Promise<void> } {
  let opened: Promise<Database> | undefined;
  const open = () => {
    opened ??= Database.open(':memory:', settings);
    return opened;
  };
  return {
    run: async (sql, parameters) => (await open()).run(sql, parameters),
    rows: async (shape, sql, parameters) => (await open()).rows(shape, sql, parameters),
    close: async () => (await opened)?.close(),
  };
}

/** A store of its own with all that another one holds. */
export async function copyTemporaryStore({ folder, options }: TemporaryStore): Promise<TemporaryStore> {
  const copy = await openTemporaryStore(options);
  await cp(folder, copy.folder, { recursive: true });
  return copy;
}

export function fixtureSource(name: string): string {
  return resolve(import.meta.dirname, '../../../fixtures', name);
}
