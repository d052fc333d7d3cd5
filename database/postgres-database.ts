import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Log } from '../log.ts';
import { PostgresUsage } from '../quota/postgres-usage.ts';
import type { ControlDatabase, KeyRecord, KeySelector } from './control-database.ts';
import { orUnavailable, unavailable } from './database-errors.ts';
import { type KeyRow, keyQuery, keyRecordFromRow } from './key-query.ts';
import { migrateControlDatabase } from './migrate.ts';
import type { ControlTables } from './tables.ts';

export interface PostgresOptions {
  /** Of this process. One works off usage, the others look up keys and serve operators. */
  readonly connectionsMax: number;
  /** For a connection to be there, also when it has to wait for a free one. */
  readonly connectTimeoutMs: number;
  /** For a statement; beyond it the server gives it up, and shortly after we do. */
  readonly statementTimeoutMs: number;
}

export const POSTGRES_OPTIONS: PostgresOptions = {
  connectionsMax: 10,
  connectTimeoutMs: 2_000,
  statementTimeoutMs: 2_000,
};

/** For the steps of a migration, and for waiting until another process has done them. */
const MIGRATION_TIMEOUT_MS = 60_000;
/** Past the server's own timeout: only a server that is gone doesn't keep it. */
const ANSWER_MARGIN_MS = 500;
const KEY_BY_HASH = keyQuery('k.hash = $1');
const KEY_BY_ID = keyQuery('k.id = $1');

/**
 * The control database on PostgreSQL. A server that went away is noticed by a failing call or an idle connection's end; both
 * drop the connection, and the next call opens another.
 */
export class PostgresDatabase implements ControlDatabase {
  readonly kysely: Kysely<ControlTables>;
  readonly usage: PostgresUsage;
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.kysely = new Kysely<ControlTables>({ dialect: new PostgresDialect({ pool }) });
    this.usage = new PostgresUsage(pool);
  }

  /** Connects, and brings the database up to this version. The database itself has to be there. */
  static async open(url: string, { log, ...options }: PostgresOptions & { log: Log }): Promise<PostgresDatabase> {
    try {
      await migrate(url, options);
    } catch (error) {
      throw unavailable(error, `the control database ${shownAddress(url)} can't be opened`);
    }
    const pool = createPool(url, options);
    pool.on('error', (error) => log.warn({ reason: error.message }, 'a connection to the control database ended'));
    return new PostgresDatabase(pool);
  }

  findKey(by: KeySelector): Promise<KeyRecord | undefined> {
    return orUnavailable(async () => {
      const query =
        'hash' in by
          ? { name: 'key-by-hash', text: KEY_BY_HASH, values: [by.hash] }
          : { name: 'key-by-id', text: KEY_BY_ID, values: [by.id] };
      const { rows } = await this.#pool.query<KeyRow>(query);
      return rows[0] === undefined ? undefined : keyRecordFromRow(rows[0]);
    });
  }

  /** Always the same: nothing tells for free that another process has written. */
  version(): number {
    return 0;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Kysely locks with an advisory lock, so processes that start together migrate once. */
async function migrate(url: string, options: PostgresOptions): Promise<void> {
  const pool = createPool(url, { ...options, connectionsMax: 1, statementTimeoutMs: MIGRATION_TIMEOUT_MS });
  pool.on('error', () => {}); // The next query tells.
  const kysely = new Kysely<ControlTables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrateControlDatabase(kysely, shownAddress(url));
  } finally {
    await kysely.destroy();
  }
}

function createPool(url: string, options: PostgresOptions): pg.Pool {
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
    types: { getTypeParser },
  });
  // A connection that ends while it is lent out tells its query, and emits an error that would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** 64-bit numbers as numbers: all of ours are counts and milliseconds. Everything else is pg's own. */
const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format as 'text');

/** Host and database, without user and password. */
function shownAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
