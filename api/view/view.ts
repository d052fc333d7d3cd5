import { DuckDBInstance } from '@duckdb/node-api';
import { decodeTime, isValid } from 'ulid';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import type { DatasetName } from '../../schemas/datasets.ts';
import type { Day } from '../../schemas/day.ts';
import { AppError, isAppError, messageFromError } from '../../schemas/errors.ts';
import type { DuckDBSettings } from '../../storage/duckdb/database.ts';
import { nullable, type RowOf, type RowShape, text } from '../../storage/duckdb/row-shape.ts';
import { sha256 } from '../../storage/hash.ts';
import type { HistoryKind } from './history-kinds.ts';
import { type QueryLimits, QueryPool, type QueryValue } from './query-pool.ts';
import { metaFromJson, VIEW_FORMAT, type ViewMeta } from './view-meta.ts';

export interface ViewOptions {
  readonly duckdb: DuckDBSettings;
  readonly limits: QueryLimits;
  /** Called when the file turns out to be damaged; the view has to be built anew. */
  readonly onDamage?: (error: unknown) => void;
}

/**
 * One release as the API serves it: an immutable, local DuckDB file. Whoever uses it holds a lease; once retired
 * it closes after the last one.
 */
export class View {
  readonly path: string;
  readonly meta: ViewMeta;
  /** The newest release. */
  readonly newest: CatalogEntry;
  /** Opaque; the same for every view of the same catalog, so that replicas agree. */
  readonly version: string;
  readonly #instance: DuckDBInstance;
  readonly #pool: QueryPool;
  readonly #options: ViewOptions;
  readonly #capturedDays = new Map<DatasetName, readonly Day[]>();
  readonly #availableFrom = new Map<HistoryKind, Promise<Day | null>>();
  #leases = 0;
  #onIdle: (() => void) | undefined;

  private constructor(
    path: string,
    meta: ViewMeta,
    parts: { instance: DuckDBInstance; pool: QueryPool },
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
    this.#options = options;
  }

  /** Opens a finished view; rejects with `corrupt` where the file isn't one of this format. */
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
      if (meta === undefined) throw new AppError('corrupt', `${path} is a view of another version`);
      return new View(path, meta, { instance, pool }, options);
    } catch (error) {
      instance.closeSync();
      throw isAppError(error)
        ? error
        : new AppError('corrupt', `${path}: ${messageFromError(error)}`, { cause: error });
    }
  }

  /** All rows of a query; see {@link QueryPool.rows}. Rejects with `unavailable` where the file is damaged, too. */
  async rows<S extends RowShape>(
    shape: S,
    sql: string,
    parameters: readonly QueryValue[] = [],
  ): Promise<readonly RowOf<S>[]> {
    try {
      return await this.#pool.rows(shape, sql, parameters);
    } catch (error) {
      if (!isDamage(error, this.#options.duckdb.tempFolder)) throw error;
      this.#options.onDamage?.(error);
      throw new AppError('unavailable', 'the data have to be loaded anew; try again in a moment', { cause: error });
    }
  }

  /** When what is served last changed: the newest release, or a backfill after it. */
  get changedAt(): Date {
    const run = this.meta.catalog.backfill?.pricing?.run;
    const backfilledMs = run !== undefined && isValid(run) ? decodeTime(run) : 0;
    return new Date(Math.max(Date.parse(this.newest.published_at), backfilledMs));
  }

  /** Days on which a dataset was captured, ascending. */
  capturedDays(dataset: DatasetName): readonly Day[] {
    const known = this.#capturedDays.get(dataset);
    if (known !== undefined) return known;
    const days = this.meta.catalog.releases.filter(({ captured }) => captured.includes(dataset)).map(({ day }) => day);
    this.#capturedDays.set(dataset, days);
    return days;
  }

  /** The first day with a point of this kind, captured or reconstructed; null: none yet. */
  availableFrom(kind: HistoryKind): Promise<Day | null> {
    const known = this.#availableFrom.get(kind);
    if (known !== undefined) return known;
    const sql = `SELECT CAST(min(valid_from) AS VARCHAR) AS day FROM history_${kind}`;
    const first = this.rows({ day: nullable(text) }, sql).then(([row]) => row?.day ?? null);
    first.catch(() => this.#availableFrom.delete(kind));
    this.#availableFrom.set(kind, first);
    return first;
  }

  /** Keeps the view open until the returned function is called. */
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

  /** Closes the view as soon as nobody uses it any more. */
  async retire(): Promise<void> {
    if (this.#leases > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.#pool.close();
    this.#instance.closeSync();
  }
}

async function openInstance(path: string, settings: Record<string, string>): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(path, settings);
  } catch (error) {
    throw new AppError('corrupt', `${path} can't be opened: ${messageFromError(error)}`, { cause: error });
  }
}

/**
 * True for what DuckDB says about a file whose blocks are not what it wrote; no query of ours can cause it. A disk that is
 * too full to spill to is no damage.
 */
function isDamage(error: unknown, tempFolder: string): boolean {
  const message = messageFromError(error);
  return /checksum|corrupt|FATAL Error|Serialization Error|IO Error/i.test(message) && !message.includes(tempFolder);
}
