import { Socket } from 'node:net';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { BaseLogger } from 'pino';
import { shownAddress } from '../../runtime/shown-address.ts';
import { findSystemUser } from '../../runtime/this-machine.ts';
import type { ControlDatabase } from './control-database.ts';
import { openingErrorFrom } from './database-errors.ts';
import { migrateControlDatabase } from './migrate.ts';
import type { PostgresOptions } from './settings.ts';
import type { ControlTables } from './tables/tables.ts';

/** For the steps of a migration, and for waiting until another process has done them. */
const MIGRATION_TIMEOUT_MS = 60_000;
/** Past the server's own timeout: only a server that is gone doesn't keep it. */
const ANSWER_MARGIN_MS = 500;

/**
 * Opens the control database on PostgreSQL; the database itself has to be there. A server that went away is noticed by a
 * failing call or an idle connection's end; both drop the connection, and the next call opens another.
 */
export async function openPostgresDatabase(
  url: string,
  { log, ...options }: PostgresOptions & { readonly log?: Pick<BaseLogger, 'warn'> | undefined },
): Promise<ControlDatabase> {
  try {
    await migrate(url, options);
  } catch (error) {
    throw openingErrorFrom(error, shownAddress(url));
  }
  const pool = createPool(url, options);
  pool.on('error', (error) => log?.warn({ reason: error.message }, 'a connection to the control database ended'));
  return {
    kysely: new Kysely<ControlTables>({ dialect: new PostgresDialect({ pool: preparing(pool) }) }),
    engine: { kind: 'postgres', pool },
    version: () => 0, // Always the same: nothing tells for free that another process has written.
    close: () => pool.end(),
  };
}

/** The comment with which a statement begins that is to be prepared, such as `/* usage-count *\/`, and its name. */
const NAME = /^\s*\/\* ([a-z-]+) \*\//;

/**
 * A pool for Kysely, which prepares nothing by itself: a statement that begins with its name is prepared once per connection. Its text
 * must always be the same, and name its columns: after a migration PostgreSQL refuses a prepared `select *`.
 */
function preparing(pool: pg.Pool): PostgresPool {
  const connect = async () => {
    const client = await pool.connect();
    const query = (text: string, values: readonly unknown[]) =>
      client.query({ name: NAME.exec(text)?.[1], text, values: [...values] });
    // Cursors, of which the other overload is, are not used.
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release: (isEnded?: boolean) => client.release(isEnded),
    };
  };
  return { connect, options: pool.options, end: () => pool.end() };
}

/** Kysely locks with an advisory lock, so processes that start together migrate once. */
async function migrate(url: string, options: PostgresOptions): Promise<void> {
  const sockets: Socket[] = [];
  const pool = createPool(url, { ...options, connectionsMax: 1, statementTimeoutMs: MIGRATION_TIMEOUT_MS }, () => {
    const socket = new Socket();
    sockets.push(socket);
    return socket;
  });
  pool.on('error', () => {}); // The next query tells.
  const kysely = new Kysely<ControlTables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrateControlDatabase(kysely, shownAddress(url));
  } finally {
    await kysely.destroy();
    // One on which the driver gave up while it logged in stays open, and would keep the process from ending.
    for (const socket of sockets) socket.destroy();
  }
}

function createPool(url: string, options: PostgresOptions, openSocket = () => new Socket()): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'modelstats',
    max: options.connectionsMax,
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs + ANSWER_MARGIN_MS,
    // A transaction whose process went away without a word must not keep others waiting.
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    keepAlive: true,
    stream: openSocket,
    types: { getTypeParser },
  });
  // A connection that ends while it is lent out tells its query, and emits an error that would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * 64-bit integers as numbers: all of ours are counts and milliseconds. Everything else as pg does it; the cast only picks one
 * of its overloads, which differ by the format's type alone.
 */
const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format as 'text');

/**
 * PostgreSQL's driver. An address without a user means to it what it means to psql: `PGUSER`, else the user of the operating system. By
 * itself it would look at `USER`, which cron, systemd and containers don't set.
 */
pg.defaults.user = findSystemUser() ?? pg.defaults.user;

export { pg };
