import { dirname } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import pLimit from 'p-limit';
import { decodeTime, isValid } from 'ulid';
import type { Day } from '../../runtime/day.ts';
import { AppError, isAppError, messageFromError } from '../../runtime/errors.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import type { DatasetName } from '../../schemas/datasets.ts';
import type { DuckDBSettings } from '../../storage/duckdb/database.ts';
import { type RowOf, type RowShape, text } from '../../storage/duckdb/row-shape.ts';
import { sha256 } from '../../storage/hash.ts';
import { CachedTotals, PositionCounts } from './counts.ts';
import { QueryPool, type QueryValue } from './query-pool.ts';
import type { QueryLimits } from './settings.ts';
import { ViewTexts } from './text/view-texts.ts';
import { viewFileNames } from './view-folder.ts';
import { firstRetainedSeq, metaFromJson, type ValueChange, VIEW_FORMAT, type ViewMeta } from './view-meta.ts';

export interface ViewOptions {
  readonly duckdb: DuckDBSettings;
  readonly limits: QueryLimits;
  /** Must rebuild the view. */
  readonly onDamage?: (error: unknown) => void;
}

/** A current value, and the release that introduced it. */
export interface ValueInForce {
  readonly value: string;
  readonly since: CatalogEntry;
}

/** One release as an immutable DuckDB file with texts. Readers hold a lease; a retired view closes after the last one. */
export class View {
  readonly path: string;
  readonly meta: ViewMeta;
  readonly newest: CatalogEntry;
  /** Opaque; the same for every view of the same catalog. */
  readonly version: string;
  readonly totals = new CachedTotals();
  readonly files: readonly string[];
  readonly #instance: DuckDBInstance;
  readonly #pool: QueryPool;
  readonly #texts: ViewTexts;
  readonly #reads = pLimit(READS_MAX);
  readonly #options: ViewOptions;
  readonly #captures = new Map<DatasetName, readonly CatalogEntry[]>();
  #positions: Promise<PositionCounts> | undefined;
  #leases = 0;
  #onIdle: (() => void) | undefined;

  private constructor(
    path: string,
    meta: ViewMeta,
    parts: { instance: DuckDBInstance; pool: QueryPool; texts: ViewTexts },
    options: ViewOptions,
  ) {
    const newest = meta.catalog.releases.at(-1);
    if (newest === undefined) throw new AppError('corrupt', `${path} has no release`);
    this.path = path;
    this.meta = meta;
    this.newest = newest;
    this.version = sha256(JSON.stringify([VIEW_FORMAT, meta.catalog])).slice(0, 24);
    this.#instance = parts.instance;
    this.#pool = parts.pool;
    this.#texts = parts.texts;
    this.files = viewFileNames(path, meta.texts);
    this.#options = options;
  }

  /** Rejects with `corrupt` if the file isn't a view of this format. */
  static async open(path: string, options: ViewOptions): Promise<View> {
    const { memoryLimit, threads, tempFolder } = options.duckdb;
    const instance = await openInstance(path, {
      access_mode: 'READ_ONLY',
      memory_limit: memoryLimit,
      threads: String(threads),
      temp_directory: tempFolder,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
    try {
      const pool = await QueryPool.open(instance, options.limits);
      const [row] = await pool.rows({ meta: text }, 'SELECT meta FROM meta', []);
      const meta = row === undefined ? undefined : metaFromJson(row.meta);
      if (meta === undefined) throw new AppError('corrupt', `${path} has another format`);
      const texts = await openTexts(path, meta, instance);
      return new View(path, meta, { instance, pool, texts }, options);
    } catch (error) {
      instance.closeSync();
      throw isAppError(error)
        ? error
        : new AppError('corrupt', `${path}: ${messageFromError(error)}`, { cause: error });
    }
  }

  /** See {@link QueryPool.rows}. Also rejects with `unavailable` if the file is damaged. */
  rows<S extends RowShape>(
    shape: S,
    sql: string,
    parameters: readonly QueryValue[] = [],
  ): Promise<readonly RowOf<S>[]> {
    return this.#undamaged(() => this.#pool.rows(shape, sql, parameters));
  }

  /** See {@link QueryPool.rowsOnce}. */
  rowsOnce<S extends RowShape>(shape: S, sql: string): Promise<readonly RowOf<S>[]> {
    return this.#undamaged(() => this.#pool.rowsOnce(shape, sql));
  }

  async #undamaged<T>(query: () => Promise<T>): Promise<T> {
    try {
      return await query();
    } catch (error) {
      throw isDamage(error, this.#options.duckdb.tempFolder) ? this.#damaged(error) : error;
    }
  }

  /** Rejects with `unavailable` if too many reads wait or a text is damaged. */
  async read<T>(work: (texts: ViewTexts) => Promise<T>): Promise<T> {
    if (this.#reads.pendingCount >= this.#options.limits.queriesWaitingMax) {
      throw new AppError('unavailable', 'too many requests are waiting; try again in a moment');
    }
    try {
      return await this.#reads(() => work(this.#texts));
    } catch (error) {
      throw isAppError(error) && error.code === 'corrupt' ? this.#damaged(error) : error;
    }
  }

  #damaged(cause: unknown): AppError {
    this.#options.onDamage?.(cause);
    return new AppError('unavailable', 'the data is being loaded again; try again in a moment', { cause });
  }

  /** When the reconstructed prices were made; the epoch if there are none. */
  get backfilledAt(): Date {
    const run = this.meta.catalog.backfill?.pricing?.run;
    return new Date(run !== undefined && isValid(run) ? decodeTime(run) : 0);
  }

  /** Hash of the current lines. */
  contentOf(dataset: DatasetName): ValueInForce {
    return this.#inForce(this.meta.contents[dataset]);
  }

  /** JSON text of `RankingMethods` or null. */
  get rankingMethods(): ValueInForce {
    return this.#inForce(this.meta.rankingMethods);
  }

  /** JSON text of a list of `Source`. */
  get sources(): ValueInForce {
    return this.#inForce([this.meta.sources]);
  }

  /** Hash of the models' names. */
  get names(): ValueInForce {
    return this.#inForce(this.meta.aliases);
  }

  #inForce(changes: readonly ValueChange[]): ValueInForce {
    const last = changes.at(-1);
    const since = this.meta.catalog.releases.find(({ day }) => day === last?.day);
    if (last === undefined || since === undefined) throw new AppError('corrupt', `${this.path} is incomplete`);
    return { value: last.value, since };
  }

  /** Oldest first. */
  capturesOf(dataset: DatasetName): readonly CatalogEntry[] {
    const known = this.#captures.get(dataset);
    if (known !== undefined) return known;
    const captures = this.meta.catalog.releases.filter(({ captured }) => captured.includes(dataset));
    this.#captures.set(dataset, captures);
    return captures;
  }

  /** Ascending. */
  capturedDays(dataset: DatasetName): readonly Day[] {
    return this.capturesOf(dataset).map(({ day }) => day);
  }

  /** Rejects as {@link rows}; the next call retries. */
  positions(): Promise<PositionCounts> {
    this.#positions ??= PositionCounts.load(this).catch((error: unknown) => {
      this.#positions = undefined;
      throw error;
    });
    return this.#positions;
  }

  /** Returns the function that releases the lease. */
  lease(): () => void {
    this.#leases += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#leases -= 1;
      if (this.#leases === 0) this.#onIdle?.();
    };
  }

  /** Closes the view after its last lease. */
  async retire(): Promise<void> {
    if (this.#leases > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.#pool.close();
    this.#instance.closeSync();
    await this.#texts.close();
  }
}

/** Concurrent reads. More than libuv's threads (4 by default) would only wait, holding memory. */
const READS_MAX = 4;

async function openTexts(path: string, { texts, catalog }: ViewMeta, instance: DuckDBInstance): Promise<ViewTexts> {
  const connection = await instance.connect();
  try {
    return await ViewTexts.open(dirname(path), texts, { connection, firstSeq: firstRetainedSeq(catalog) });
  } finally {
    connection.closeSync();
  }
}

async function openInstance(path: string, settings: Record<string, string>): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, settings);
  } catch (error) {
    throw new AppError('corrupt', `${path} can't be opened: ${messageFromError(error)}`, { cause: error });
  }
}

/** Whether an error means damaged blocks, which no query causes. A full disk in the temporary folder is no damage. */
function isDamage(error: unknown, tempFolder: string): boolean {
  const message = messageFromError(error);
  return /checksum|corrupt|FATAL Error|Serialization Error|IO Error/i.test(message) && !message.includes(tempFolder);
}
