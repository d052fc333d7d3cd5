import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlDatabase, SqliteEngine } from './control-database.ts';
import { isSqliteBusy, orUnavailable, unavailable } from './database-errors.ts';
import type { Database } from './tables/tables.ts';

/** Commits of other processes take milliseconds. */
const RETRY_MS = 10;

/**
 * On SQLite it waits for other processes without blocking the event loop, unlike SQLite itself. Rejects with
 * `unavailable`, also after the engine's `busyTimeoutMs`.
 * @param work awaits only the database; rolled back if it throws
 */
export function writeTransaction<T>(
  { kysely, engine }: ControlDatabase,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  switch (engine.kind) {
    case 'postgres':
      return orUnavailable(() => kysely.transaction().execute(work));
    case 'sqlite':
      return whileBusy(engine, () =>
        kysely.connection().execute((connection) => beginImmediate(engine, () => work(connection))),
      );
  }
}

/** PostgreSQL runs a single statement as a transaction by itself. */
export function writeStatement<T>(database: ControlDatabase, work: (database: Database) => Promise<T>): Promise<T> {
  return database.engine.kind === 'postgres'
    ? orUnavailable(() => work(database.kysely))
    : writeTransaction(database, work);
}

/** Nothing was done while busy. Rejects with `unavailable`. */
export async function whileBusy<T>({ busyTimeoutMs }: SqliteEngine, work: () => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isSqliteBusy(error) || performance.now() >= deadlineMs) throw unavailable(error);
    }
    await sleep(RETRY_MS);
  }
}

/** Takes the write lock at once or fails; with it the database is never busy. */
async function beginImmediate<T>(engine: SqliteEngine, work: () => Promise<T>): Promise<T> {
  begin(engine);
  try {
    const result = await work();
    engine.connection.exec('commit');
    return result;
  } catch (error) {
    rollBack(engine);
    throw error;
  }
}

/** Throws SQLite's errors, including busy, after rolling back. */
export function runImmediately<T>(engine: SqliteEngine, work: () => T): T {
  begin(engine);
  try {
    const result = work();
    engine.connection.exec('commit');
    return result;
  } catch (error) {
    rollBack(engine);
    throw error;
  }
}

function begin({ connection, blockingTimeoutMs }: SqliteEngine): void {
  // `exec` avoids preparing a statement, which takes ten times as long.
  connection.exec('pragma busy_timeout = 0');
  try {
    connection.exec('begin immediate');
  } finally {
    connection.exec(`pragma busy_timeout = ${blockingTimeoutMs}`);
  }
}

function rollBack({ connection }: SqliteEngine): void {
  if (connection.inTransaction) connection.exec('rollback');
}
