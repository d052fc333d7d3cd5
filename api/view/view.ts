import { crc32 } from 'node:zlib';
import SqliteDatabase from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { decodeTime, isValid } from 'ulid';
import type { Day } from '../../runtime/day.ts';
import { AppError, isAppError, messageFromError } from '../../runtime/errors.ts';
import type { CatalogEntry } from '../../schemas/catalog.ts';
import type { DatasetName } from '../../schemas/datasets.ts';
import { sha256 } from '../../storage/hash.ts';
import { metaFromJson, type ValueChange, VIEW_FORMAT, type ViewMeta } from './view-meta.ts';

export interface ViewOptions {
  /** Called when the file turns out to be damaged; the view has to be built anew. */
  readonly onDamage?: (error: unknown) => void;
}

/** A current value, and the release that introduced it. */
export interface ValueInForce {
  readonly value: string;
  readonly since: CatalogEntry;
}

/** What a query can be given. */
export type QueryValue = string | number | null;

/** Statements that stay prepared. */
const PREPARED_MAX = 500;

/**
 * One release as the API serves it: an immutable local SQLite file (`schema.ts`). A request leases it; a retired view closes after its
 * last lease. Queries run where they are called and take well below a millisecond: each goes by an index.
 */
export class View {
  readonly path: string;
  readonly meta: ViewMeta;
  readonly newest: CatalogEntry;
  /** Opaque; the same for every view of the same catalog. */
  readonly version: string;
  readonly #database: SqliteDatabase.Database;
  readonly #statements = new LRUCache<string, SqliteDatabase.Statement<unknown[], unknown>>({ max: PREPARED_MAX });
  readonly #options: ViewOptions;
  readonly #captures = new Map<DatasetName, readonly CatalogEntry[]>();
  readonly #computed = new Map<unknown, unknown>();
  #leases = 0;
  #onIdle: (() => void) | undefined;

  private constructor(path: string, meta: ViewMeta, database: SqliteDatabase.Database, options: ViewOptions) {
    const newest = meta.catalog.releases.at(-1);
    if (newest === undefined) throw new AppError('corrupt', `${path} has no release`);
    this.path = path;
    this.meta = meta;
    this.newest = newest;
    this.version = sha256(JSON.stringify([VIEW_FORMAT, meta.catalog])).slice(0, 24);
    this.#database = database;
    this.#options = options;
  }

  /** Rejects with `corrupt` if the file isn't a view of this format. */
  static async open(path: string, options: ViewOptions): Promise<View> {
    let database: SqliteDatabase.Database | undefined;
    try {
      database = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
      database.pragma('cache_size = -32768');
      const row = database.prepare<[], { readonly json: string }>('SELECT json FROM meta').get();
      const meta = row === undefined ? undefined : metaFromJson(row.json);
      if (meta === undefined) throw new AppError('corrupt', `${path} is a view of another version`);
      return new View(path, meta, database, options);
    } catch (error) {
      database?.close();
      throw isAppError(error)
        ? error
        : new AppError('corrupt', `${path}: ${messageFromError(error)}`, { cause: error });
    }
  }

  /** All rows of a query, with the columns that it selects. Throws `unavailable` where the file is damaged, or the view is closed. */
  rows<Row>(sql: string, values: readonly QueryValue[] = []): readonly Row[] {
    // The statement's columns are what its caller selects, from tables with strict types.
    return this.#undamaged(() => this.#prepared(sql).all(...values) as readonly Row[]);
  }

  /** The texts of a query that selects each with its `check`, in its order. */
  texts(sql: string, values: readonly QueryValue[] = []): readonly string[] {
    return this.rows<{ readonly text: string; readonly check: number }>(sql, values).map(({ text, check }) => {
      if (crc32(text) !== check) throw this.#damaged(new Error(`${this.path} holds a text that is not what was written`));
      return text;
    });
  }

  /** What a function finds out about the view, once for as long as the view is open. */
  computed<T>(find: (view: View) => T): T {
    if (!this.#computed.has(find)) this.#computed.set(find, find(this));
    return this.#computed.get(find) as T; // It was put there under the same function.
  }

  #prepared(sql: string): SqliteDatabase.Statement<unknown[], unknown> {
    if (!this.#database.open) throw new AppError('unavailable', 'this view is closed');
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare<unknown[], unknown>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #undamaged<T>(query: () => T): T {
    try {
      return query();
    } catch (error) {
      throw isDamage(error) ? this.#damaged(error) : error;
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

  /** Closes the view after its last lease. */
  async retire(): Promise<void> {
    if (this.#leases > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.#database.close();
  }
}

/** True for what SQLite says about a file whose pages are not what it wrote. */
function isDamage(error: unknown): boolean {
  return error instanceof SqliteDatabase.SqliteError && /^SQLITE_(CORRUPT|NOTADB|IOERR|ERROR)/.test(error.code);
}
