import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { backfillPricing } from '../pipeline/backfill/backfill.ts';
import type { BackfillResult } from '../pipeline/backfill/backfill-result.ts';
import type { NightResult } from '../pipeline/night-result.ts';
import { prune } from '../pipeline/prune.ts';
import { republish } from '../pipeline/republish.ts';
import type { DatasetName } from '../schemas/datasets.ts';
import type { Day } from '../schemas/day.ts';
import type { Retention } from '../schemas/retention.ts';
import { openTemporaryStore, type TemporaryStore } from './nights.ts';

/** A day's rows as a source gives them; a dataset that is left out is not captured. */
export type DayRows = Partial<Readonly<Record<DatasetName, readonly object[]>>>;

/** A store of its own, into which a test publishes days, backfills and prunes that it writes down in code. */
export interface Series extends TemporaryStore {
  /** The store's address. */
  readonly url: string;
  /** Publishes a day, whatever the guard says. */
  publish(day: Day, rows: DayRows): Promise<NightResult>;
  /** Replaces the reconstructed prices, at an instant. */
  backfill(rows: readonly object[], at: string): Promise<BackfillResult>;
  prune(retention: Retention): Promise<void>;
  /** Puts back what of a snapshot's files is lost or damaged. */
  republish(day: Day): Promise<void>;
}

export async function openSeries(): Promise<Series> {
  const nights = await openTemporaryStore();
  const source = await mkdtemp(join(tmpdir(), 'modelstats-source-'));
  return {
    ...nights,
    url: `file:${nights.folder}`,
    publish: async (day, rows) => {
      await mkdir(join(source, day));
      for (const [name, records] of Object.entries(rows)) await writeRows(join(source, day, `${name}.jsonl`), records);
      const result = await nights.night(source, day, { accept: true });
      if (result.status !== 'published') throw new Error(`${day} is ${result.status}: ${JSON.stringify(result)}`);
      return result;
    },
    backfill: async (rows, at) => {
      const table = join(source, 'table.jsonl');
      await writeRows(table, rows);
      const deps = { ...nights.deps, newRunId: () => ulid(Date.parse(at)), onStep: () => {} };
      return backfillPricing({ table, from: null, dryRun: false }, deps);
    },
    prune: async (retention) => {
      const deps = { store: nights.deps.store, clock: nights.deps.clock, onPlan: () => {}, onRemoval: () => {} };
      await prune({ dryRun: false }, { ...deps, retention });
    },
    republish: async (day) => {
      const { store: origin, workFolder, duckdb } = nights.deps;
      const result = await republish(day, { origin, second: undefined, workFolder, duckdb, onFile: () => {} });
      if (!result.ok) throw new Error(JSON.stringify(result));
    },
    dispose: async () => {
      await nights.dispose();
      await rm(source, { recursive: true, force: true });
    },
  };
}

async function writeRows(path: string, rows: readonly object[]): Promise<void> {
  await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}
