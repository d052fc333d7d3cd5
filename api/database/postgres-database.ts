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

/** For migrations, including those that another process is running. */
const MIGRATION_TIMEOUT_MS = 60_000;
/** Beyond the server's own timeout, for a server that is gone. */
const ANSWER_MARGIN_MS = 500;

/** The database must exist. Broken connections are dropped, and the next call reconnects. */
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
    kysely: new Kysely<ControlTables>({ dialect: new PostgresDialect({ pool: preparingPool(pool) }) }),
    engine: { kind: 'postgres', pool },
    version: () => 0, // Constant: detecting other processes' writes is not free.
    close: () => pool.end(),
  };
}

/** The leading comment of a statement to prepare, such as `/* usage-count *\/`. */
const NAME = /^\s*\/\* ([a-z-]+) \*\//;

/**
 * A statement with a name is prepared once per connection. Its text must be constant and list its columns: after a
 * migration PostgreSQL refuses a prepared `select *`.
 */
function preparingPool(pool: pg.Pool): PostgresPool {
  const connect = async () => {
    const client = await pool.connect();
    const query = (text: string, values: readonly unknown[]) =>
      client.query({ name: NAME.exec(text)?.[1], text, values: [...values] });
    // The cast ignores an overload for cursors, which aren't used.
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release: (isEnded?: boolean) => client.release(isEnded),
    };
  };
  return { connect, options: pool.options, end: () => pool.end() };
}

/** Kysely's advisory lock lets one process migrate. */
async function migrate(url: string, options: PostgresOptions): Promise<void> {
  const sockets: Socket[] = [];
  const pool = createPool(url, { ...options, connectionsMax: 1, statementTimeoutMs: MIGRATION_TIMEOUT_MS }, () => {
    const socket = new Socket();
    sockets.push(socket);
    return socket;
  });
  pool.on('error', () => {}); // Reported by the next query.
  const kysely = new Kysely<ControlTables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrateControlDatabase(kysely, shownAddress(url));
  } finally {
    await kysely.destroy();
    // A connection abandoned during its login would keep the process running.
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
    // A transaction of a vanished process must not block others.
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    keepAlive: true,
    stream: openSocket,
    types: { getTypeParser },
  });
  // A borrowed connection reports its end to its query; the unhandled error event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** All are counts or milliseconds. The cast selects among equivalent overloads. */
const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format as 'text');

/**
 * The default user is `PGUSER`, else the operating-system user, as in psql. pg itself would use `USER`, which cron,
 * systemd and containers don't set.
 */
pg.defaults.user = findSystemUser() ?? pg.defaults.user;

export { pg };
