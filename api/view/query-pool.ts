import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { AppError } from '../../runtime/errors.ts';
import { RECORD_MACROS } from '../../storage/duckdb/record-sql.ts';
import { type RawRow, type RowOf, type RowShape, rowReader } from '../../storage/duckdb/row-shape.ts';
import type { QueryLimits } from './settings.ts';

export interface Queries {
  rows<S extends RowShape>(shape: S, sql: string, parameters: readonly QueryValue[]): Promise<readonly RowOf<S>[]>;
}

/** Numbers are always DOUBLE in SQL. */
export type QueryValue = string | number | null;

/** Per connection. Smaller: rare filters are planned each time, in half a millisecond. */
const PREPARED_MAX = 200;

interface Worker {
  readonly connection: DuckDBConnection;
  readonly prepared: LRUCache<string, DuckDBPreparedStatement>;
}

/** Concurrent read-only queries, off the event loop. Prepared statements are cached by their SQL, so values must be bound. */
export class QueryPool implements Queries {
  readonly #idle: Worker[];
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #limits: QueryLimits;
  #isClosed = false;

  private constructor(workers: Worker[], limits: QueryLimits) {
    this.#idle = workers;
    this.#limit = pLimit(workers.length);
    this.#limits = limits;
  }

  static async open(instance: DuckDBInstance, limits: QueryLimits): Promise<QueryPool> {
    const workers: Worker[] = [];
    for (let i = 0; i < limits.queriesMax; i += 1) {
      const connection = await instance.connect();
      await connection.run(`SET TimeZone = 'UTC'`);
      for (const macro of RECORD_MACROS) await connection.run(macro);
      const prepared = new LRUCache<string, DuckDBPreparedStatement>({
        max: PREPARED_MAX,
        dispose: (statement) => statement.destroySync(),
      });
      workers.push({ connection, prepared });
    }
    return new QueryPool(workers, limits);
  }

  /** Rejects with `unavailable` if too many queries wait or this one takes too long. */
  async rows<S extends RowShape>(
    shape: S,
    sql: string,
    parameters: readonly QueryValue[],
  ): Promise<readonly RowOf<S>[]> {
    const rows = await this.#withWorker((worker) => this.#run(worker, sql, parameters));
    return rows.map(rowReader(shape));
  }

  /** Like {@link rows}, for a statement with literal values, which isn't cached. */
  async rowsOnce<S extends RowShape>(shape: S, sql: string): Promise<readonly RowOf<S>[]> {
    const rows = await this.#withWorker((worker) => this.#runOnce(worker, sql));
    return rows.map(rowReader(shape));
  }

  async #withWorker<T>(run: (worker: Worker) => Promise<T>): Promise<T> {
    if (this.#limit.pendingCount >= this.#limits.queriesWaitingMax) {
      throw new AppError('unavailable', 'too many requests are waiting; try again in a moment');
    }
    return this.#limit(async () => {
      if (this.#isClosed) throw new AppError('unavailable', 'this view is closed');
      const worker = this.#idle.pop();
      if (worker === undefined) throw new Error('more queries are running than there are connections');
      try {
        return await run(worker);
      } finally {
        if (this.#isClosed) closeWorker(worker);
        else this.#idle.push(worker);
      }
    });
  }

  #run(worker: Worker, sql: string, parameters: readonly QueryValue[]): Promise<readonly RawRow[]> {
    return this.#inTime(worker, async () => {
      const statement = worker.prepared.get(sql) ?? (await prepare(worker, sql));
      for (const [index, value] of parameters.entries()) bind(statement, index + 1, value);
      const reader = await statement.runAndReadAll();
      return reader.getRowObjectsJson();
    });
  }

  #runOnce(worker: Worker, sql: string): Promise<readonly RawRow[]> {
    return this.#inTime(worker, async () => (await worker.connection.runAndReadAll(sql)).getRowObjectsJson());
  }

  async #inTime<T>(worker: Worker, run: () => Promise<T>): Promise<T> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      worker.connection.interrupt();
    }, this.#limits.queryTimeoutMs);
    try {
      return await run();
    } catch (error) {
      if (isLate)
        throw new AppError('unavailable', 'the query took too long; request less data at once', { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes idle connections now and busy ones after their query. */
  close(): void {
    this.#isClosed = true;
    for (const worker of this.#idle.splice(0)) closeWorker(worker);
  }
}

function closeWorker({ connection, prepared }: Worker): void {
  prepared.clear();
  connection.closeSync();
}

/** By default the library binds whole numbers as BIGINT and rejects 1e300. */
function bind(statement: DuckDBPreparedStatement, position: number, value: QueryValue): void {
  if (value === null) statement.bindNull(position);
  else if (typeof value === 'number') statement.bindDouble(position, value);
  else statement.bindVarchar(position, value);
}

async function prepare({ connection, prepared }: Worker, sql: string): Promise<DuckDBPreparedStatement> {
  const statement = await connection.prepare(sql);
  prepared.set(sql, statement);
  return statement;
}
