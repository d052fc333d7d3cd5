import Sqlite from 'better-sqlite3';
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely';
import { AppError, codeFromError } from '../../runtime/errors.ts';
import { isClearAddress, shownAddress, UNCLEAR_ADDRESS } from '../../runtime/shown-address.ts';
import { openingErrorFrom } from './database-errors.ts';
import { readMigrations } from './migrate.ts';
import { sqliteFileFromUrl } from './open-database.ts';
import { pg } from './postgres-database.ts';
import { placeOfMissing, refuseUnreadable } from './sqlite-database.ts';
import type { ControlTables, Database } from './tables/tables.ts';

/** A control database as it is. */
export interface DatabaseLook {
  /** Migrations that it lacks, which the next command that opens it makes. */
  readonly pending: readonly string[];
  /** Migrations of a newer program. */
  readonly unknown: readonly string[];
  /** The server's clock; undefined for a file, which has none. */
  readonly now: Date | undefined;
  /** Some of the secrets of endpoints, encrypted. */
  readonly sealed: readonly { readonly id: string; readonly sealed_secret: string }[];
}

/** For a connection, and for a statement, in milliseconds. */
export interface LookOptions {
  readonly timeoutMs: number;
}

/** Enough to see whether the keys open them; the newest may have another key than the oldest. */
const SEALED_MAX = 1_000;

/**
 * Looks at the control database at an address (see `openDatabase`) and changes nothing: it is neither made nor migrated. Undefined
 * for a SQLite file that isn't there yet. Rejects as `openDatabase` does, but for a newer version's database, which it looks at.
 */
export async function lookAtDatabase(url: string, { timeoutMs }: LookOptions): Promise<DatabaseLook | undefined> {
  const file = sqliteFileFromUrl(url);
  try {
    if (file !== undefined && !(await isThere(file))) return undefined;
    const kysely = file === undefined ? openPostgres(url, timeoutMs) : openFile(file, timeoutMs);
    try {
      return await look(kysely, { hasClock: file === undefined });
    } finally {
      await kysely.destroy();
    }
  } catch (error) {
    throw openingErrorFrom(error, shownAddress(url));
  }
}

/** Rejects where that can't be told, and where what is there can't be read. */
async function isThere(file: string): Promise<boolean> {
  try {
    await refuseUnreadable(file);
    return true;
  } catch (error) {
    if (codeFromError(error) !== 'ENOENT') throw error;
    await placeOfMissing(file); // A link into a folder that isn't there leads nowhere, whoever opens it.
    return false;
  }
}

function openFile(path: string, timeout: number): Database {
  const database = new Sqlite(path, { readonly: true, fileMustExist: true, timeout });
  return new Kysely<ControlTables>({ dialect: new SqliteDialect({ database }) });
}

function openPostgres(url: string, timeoutMs: number): Database {
  if (!isClearAddress(url)) throw new AppError('configuration', `${shownAddress(url)} is no URL; ${UNCLEAR_ADDRESS}`);
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'modelstats doctor',
    max: 1,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs,
  });
  pool.on('error', () => {}); // The next query tells.
  return new Kysely<ControlTables>({ dialect: new PostgresDialect({ pool }) });
}

async function look(kysely: Database, { hasClock }: { readonly hasClock: boolean }): Promise<DatabaseLook> {
  const clock = hasClock ? await sql<{ now: Date }>`select clock_timestamp() as now`.execute(kysely) : undefined;
  const now = clock?.rows[0]?.now;
  const tables = await kysely.introspection.getTables();
  return {
    ...(await readMigrations(kysely)),
    now,
    sealed: tables.some(({ name }) => name === 'webhook_endpoints')
      ? await kysely.selectFrom('webhook_endpoints').select(['id', 'sealed_secret']).limit(SEALED_MAX).execute()
      : [],
  };
}
