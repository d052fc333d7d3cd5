import { existsSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { decodeTime, isValid } from 'ulid';
import type { Day } from '../../runtime/day.ts';
import { AppError, isAppError, messageFromError } from '../../runtime/errors.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import type { DatasetName } from '../../schemas/datasets.ts';
import { sha256 } from '../../storage/hash.ts';
import { QueryThreads, type QueryValue } from './query-threads.ts';
import type { QueryLimits } from './settings.ts';
import { metaFromJson, type ValueChange, VIEW_FORMAT, type ViewMeta } from './view-meta.ts';

export interface FinishedView {
  readonly path: string;
  /** Of the file (`fileSum`). */
  readonly sum: number;
}

export interface ViewOptions {
  /** For queries in threads. */
  readonly limits: QueryLimits;
  /** Must rebuild the view. */
  readonly onDamage?: (error: unknown) => void;
}

/** A current value, and the release that introduced it. */
export interface ValueInForce {
  readonly value: string;
  readonly since: CatalogEntry;
}

/** JSON as text: sent as the view stores it, neither parsed nor printed again. */
export type JsonText = string;

/** A text with its CRC-32. */
export interface CheckedText {
  readonly text: string;
  readonly check: number;
}

/** Smaller: rare queries are prepared each time, in some 50 µs. */
const PREPARED_MAX = 500;

/** In KiB. Larger: more memory beside the system's file cache; smaller: more system calls per look-up. */
const CACHE_KIB = 32 * 1024;

/**
 * One release as an immutable SQLite file (schema.ts). Readers hold a lease; a retired view closes after the last one. Look-ups by an
 * index run where they are called, within a millisecond; longer queries belong into {@link rowsInThread}.
 */
export class View {
  readonly path: string;
  /** Of the file (`fileSum`). */
  readonly sum: number;
  readonly meta: ViewMeta;
  readonly newest: CatalogEntry;
  /** Opaque; the same for every view of the same catalog. */
  readonly version: string;
  readonly #database: SqliteDatabase.Database;
  readonly #statements = new LRUCache<string, SqliteDatabase.Statement<unknown[], unknown>>({ max: PREPARED_MAX });
  readonly #threads: QueryThreads;
  readonly #options: ViewOptions;
  readonly #captures = new Map<DatasetName, readonly CatalogEntry[]>();
  readonly #computed = new Map<unknown, unknown>();
  #leases = 0;
  #onIdle: (() => void) | undefined;

  private constructor(
    { path, sum }: FinishedView,
    meta: ViewMeta,
    database: SqliteDatabase.Database,
    options: ViewOptions,
  ) {
    const newest = meta.catalog.releases.at(-1);
    if (newest === undefined) throw new AppError('corrupt', `${path} has no release`);
    this.path = path;
    this.sum = sum;
    this.meta = meta;
    this.newest = newest;
    this.version = sha256(JSON.stringify([VIEW_FORMAT, meta.catalog])).slice(0, 24);
    this.#database = database;
    this.#threads = new QueryThreads(path, options.limits);
    this.#options = options;
  }

  /** Throws `corrupt` if the file isn't a view of this format. */
  static open(file: FinishedView, options: ViewOptions): View {
    const { path } = file;
    let database: SqliteDatabase.Database | undefined;
    try {
      database = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
      database.pragma(`cache_size = -${CACHE_KIB}`);
      const json = database.prepare<[], string>('SELECT json FROM meta').pluck().get();
      const meta = json === undefined ? undefined : metaFromJson(json);
      if (meta === undefined) throw new AppError('corrupt', `${path} has another format`);
      return new View(file, meta, database, options);
    } catch (error) {
      database?.close();
      throw isAppError(error)
        ? error
        : new AppError('corrupt', `${path}: ${messageFromError(error)}`, { cause: error });
    }
  }

  /** Rows with the selected columns. Throws `unavailable` if the file is damaged or the view is closed. */
  rows<Row>(sql: string, values: readonly QueryValue[] = []): readonly Row[] {
    // The tables are strict, so the columns have the types of the schema.
    return this.undamaged(() => this.#prepare(sql).all(...values) as readonly Row[]);
  }

  /** Rows that select `text` and its `check`. Throws as {@link rows}. */
  checkedRows<Row extends CheckedText = CheckedText>(sql: string, values: readonly QueryValue[] = []): readonly Row[] {
    return this.#checked(this.rows<Row>(sql, values));
  }

  /** The texts of {@link checkedRows}. */
  texts(sql: string, values: readonly QueryValue[] = []): readonly string[] {
    return this.checkedRows(sql, values).map(({ text }) => text);
  }

  /** As {@link rows}, off the event loop. Also rejects with `unavailable` if too many queries wait or this one takes too long. */
  async rowsInThread<Row>(sql: string, values: readonly QueryValue[] = []): Promise<readonly Row[]> {
    try {
      return (await this.#threads.rows({ sql, values })) as readonly Row[]; // As for `rows`.
    } catch (error) {
      if (isNotOpened(error)) {
        // A retired view's file is removed; that of a view in use should not be, so it is built again. Without free file descriptors,
        // a thread can't open a sound file.
        if (!existsSync(this.path)) this.#options.onDamage?.(error);
        return this.rows(sql, values);
      }
      throw isDamage(error) ? this.#damaged(error) : error;
    }
  }

  /** {@link checkedRows} as {@link rowsInThread}. */
  async checkedRowsInThread<Row extends CheckedText>(
    sql: string,
    values: readonly QueryValue[],
  ): Promise<readonly Row[]> {
    return this.#checked(await this.rowsInThread<Row>(sql, values));
  }

  #checked<Row extends CheckedText>(rows: readonly Row[]): readonly Row[] {
    return this.undamaged(() => {
      for (const row of rows) assertUndamaged(row);
      return rows;
    });
  }

  /** What a function derives from the view, computed once. */
  computed<T>(compute: (view: View) => T): T {
    if (!this.#computed.has(compute)) this.#computed.set(compute, compute(this));
    return this.#computed.get(compute) as T; // Stored under the same function.
  }

  /** Runs a read that throws `corrupt`, or an error of SQLite or gzip, if it meets damage; throws `unavailable` then. */
  undamaged<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw isDamage(error) ? this.#damaged(error) : error;
    }
  }

  #prepare(sql: string): SqliteDatabase.Statement<unknown[], unknown> {
    if (!this.#database.open) throw new AppError('unavailable', 'this view is closed');
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare<unknown[], unknown>(sql);
    this.#statements.set(sql, statement);
    return statement;
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
    this.#database.close();
    await this.#threads.close();
  }
}

function assertUndamaged({ text, check }: CheckedText): void {
  if (crc32(text) !== check) throw new AppError('corrupt', 'a text in the view is not what was written');
}

/** A thread opens the file by its path. */
function isNotOpened(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_CANTOPEN';
}

/** SQLite's errors for pages that are not what it wrote, and of zlib. */
const DAMAGE = /^(SQLITE_(CORRUPT|NOTADB|IOERR)|Z_)/;

function isDamage(error: unknown): boolean {
  if (isAppError(error)) return error.code === 'corrupt';
  return error instanceof Error && 'code' in error && DAMAGE.test(String(error.code));
}
