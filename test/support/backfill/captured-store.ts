import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackfillRequest, type BackfillResult, backfillPricing } from '../../../pipeline/backfill/backfill.ts';
import { type NightDeps, runNight } from '../../../pipeline/night/night.ts';
import type { NightResult } from '../../../pipeline/night/night-result.ts';
import type { Day } from '../../../runtime/day.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { openStore } from '../../../storage/open-store.ts';
import { NIGHT_SETTINGS } from '../pipeline/temporary-store.ts';
import { linesFromRows, writeDay } from '../pipeline/write-day.ts';

const NOW = new Date('2026-07-01T00:30:00Z');

/** A file store in a folder of its own, into which a test publishes small nights and backfills. */
export class CapturedStore {
  readonly folder: string;
  readonly store: ObjectStore;
  #runs = 0;

  private constructor(folder: string, store: ObjectStore) {
    this.folder = folder;
    this.store = store;
  }

  static async open(): Promise<CapturedStore> {
    const folder = await mkdtemp(join(tmpdir(), 'modelstats-store-'));
    return new CapturedStore(folder, await openStore(`file:${join(folder, 'store')}`));
  }

  /** A store of its own with everything that this one holds. */
  async copy(): Promise<CapturedStore> {
    const other = await CapturedStore.open();
    await cp(join(this.folder, 'store'), join(other.folder, 'store'), { recursive: true, preserveTimestamps: true });
    other.#runs = this.#runs;
    return other;
  }

  /** Publishes a day whose models are given by id; no `pricing` file where no prices are given. */
  async publish(day: Day, models: readonly string[], prices?: readonly object[]): Promise<NightResult> {
    const source = join(this.folder, 'source', day);
    await writeDay(source, { models: models.map((id) => ({ id, name: id })), pricing: prices });
    return this.publishFrom(source, day);
  }

  /** Publishes a day from a source folder, whatever the guard says. */
  async publishFrom(source: string, day: Day): Promise<NightResult> {
    return runNight({ day, source, dryRun: false, accept: true, acceptSuspects: [] }, this.#nightDeps());
  }

  /** Writes a table from rows; `name` tells its format. */
  async writeTable(rows: readonly object[], name = 'table.jsonl'): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, linesFromRows(rows));
    return path;
  }

  async backfill(request: Partial<BackfillRequest> & { readonly table: string }, store = this.store) {
    return backfillPricing(
      { from: null, dryRun: false, ...request },
      { ...this.#nightDeps(), store, onStage: () => {} },
    );
  }

  async backfillRows(rows: readonly object[], request: Partial<BackfillRequest> = {}): Promise<BackfillResult> {
    return this.backfill({ table: await this.writeTable(rows), ...request });
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  #nightDeps(): NightDeps {
    return {
      store: this.store,
      clock: () => NOW,
      newRunId: () => {
        this.#runs += 1;
        return `R${String(this.#runs).padStart(4, '0')}`;
      },
      workFolder: join(this.folder, 'work'),
      ...NIGHT_SETTINGS,
    };
  }
}
