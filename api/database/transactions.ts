import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { SqliteEngine } from './control-database.ts';
import { isSqliteBusy, unavailable } from './database-errors.ts';

/** Between two attempts while another process writes; its commits take a few milliseconds. */
const RETRY_MS = 10;

/**
 * Runs statements on the connection that Kysely uses as well, again and again while another process writes: SQLite's own waiting
 * would hold up the event loop, and with it every request and the health checks. Rejects with `unavailable`, also where that
 * takes longer than the engine's `busyTimeoutMs`.
 *
 * @param work synchronous; nothing of it is left where it throws
 */
export async function whenNotBusy<T>({ connection, busyTimeoutMs }: SqliteEngine, work: () => T): Promise<T> {
  const deadlineMs = performance.now() + busyTimeoutMs;
  for (;;) {
    // Where Kysely has a transaction open, that ends soon: it awaits nothing but the database.
    while (connection.inTransaction) await new Promise((resolve) => setImmediate(resolve));
    try {
      return work();
    } catch (error) {
      if (!isSqliteBusy(error) || performance.now() >= deadlineMs) throw unavailable(error);
    }
    await sleep(RETRY_MS);
  }
}

/** Runs a transaction that fails at once where another process writes; afterwards the connection waits as before. */
export function withoutWaiting<T>({ connection, blockingTimeoutMs }: SqliteEngine, transaction: () => T): T {
  // `exec` makes no statement of it, which takes ten times as long.
  connection.exec('pragma busy_timeout = 0');
  try {
    return transaction();
  } finally {
    connection.exec(`pragma busy_timeout = ${blockingTimeoutMs}`);
  }
}

/** Work in a transaction on a connection of its own, for statements that don't run through Kysely. */
export async function transactOn<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    client.release(true); // Closing the connection is the surest rollback.
    throw error;
  }
}
