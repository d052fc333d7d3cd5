import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlDatabase, SqliteEngine } from './control-database.ts';
import { isSqliteBusy, orUnavailable, unavailable } from './database-errors.ts';
import type { Database } from './tables/tables.ts';

/** Between two attempts while another process writes; its commits take a few milliseconds. */
const RETRY_MS = 10;

/**
 * Runs a transaction that writes. On SQLite it waits for another process's write without holding up the event loop, as SQLite's own
 * waiting would, and with it every request and the health checks. Rejects with `unavailable`, also where waiting takes longer than the
 * engine's `busyTimeoutMs`.
 *
 * @param work awaits nothing but the database; nothing of it is left where it throws
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

/** {@link writeTransaction} for a single statement: PostgreSQL makes it a transaction by itself. */
export function writeStatement<T>(database: ControlDatabase, work: (database: Database) => Promise<T>): Promise<T> {
  return database.engine.kind === 'postgres'
    ? orUnavailable(() => work(database.kysely))
    : writeTransaction(database, work);
}

/** Tries again while another process writes; nothing was done then. Rejects with `unavailable`. */
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

/** Begins with the write lock, at once or not at all; whoever has it never finds the database busy later. */
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

/** Runs a transaction whose work is synchronous. Throws SQLite's error, busy among others; nothing is left then. */
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
  // `exec` makes no statement of it, which takes ten times as long.
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
