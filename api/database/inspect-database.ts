import Sqlite from 'better-sqlite3';
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely';
import { AppError, codeFromError } from '../../runtime/errors.ts';
import { isClearAddress, shownAddress, UNCLEAR_ADDRESS } from '../../runtime/shown-address.ts';
import { openingErrorFrom } from './database-errors.ts';
import { readMigrations } from './migrate.ts';
import { sqliteFileFromUrl } from './open-database.ts';
import { pg } from './postgres-database.ts';
import { assertReadable, resolveMissing } from './sqlite-database.ts';
import type { ControlTables, Database } from './tables/tables.ts';

/** The state of a control database. */
export interface DatabaseInspection {
  /** Migrations still to run. */
  readonly pending: readonly string[];
  /** Migrations of a newer version. */
  readonly unknown: readonly string[];
  /** The server's clock; undefined for a file. */
  readonly now: Date | undefined;
  /** Encrypted; some of them. */
  readonly sealed: readonly { readonly id: string; readonly sealed_secret: string }[];
}

/** Of a connection, and of a statement, in milliseconds. */
export interface InspectionOptions {
  readonly timeoutMs: number;
}

/** Enough to check the keys; secrets of different age may have different ones. */
const SEALED_MAX = 1_000;

/**
 * Neither creates nor migrates the database. Undefined for a missing SQLite file. Rejects as `openDatabase` does,
 * except for a database of a newer version.
 */
export async function inspectDatabase(
  url: string,
  { timeoutMs }: InspectionOptions,
): Promise<DatabaseInspection | undefined> {
  const file = sqliteFileFromUrl(url);
  try {
    if (file !== undefined && !(await fileExists(file))) return undefined;
    const kysely = file === undefined ? openPostgres(url, timeoutMs) : openFile(file, timeoutMs);
    try {
      return await inspect(kysely, { hasClock: file === undefined });
    } finally {
      await kysely.destroy();
    }
  } catch (error) {
    throw openingErrorFrom(error, shownAddress(url));
  }
}

/** Rejects if the file exists but can't be read. */
async function fileExists(file: string): Promise<boolean> {
  try {
    await assertReadable(file);
    return true;
  } catch (error) {
    if (codeFromError(error) !== 'ENOENT') throw error;
    await resolveMissing(file); // A link into a missing folder is an error for everyone.
    return false;
  }
}

function openFile(path: string, timeout: number): Database {
  const database = new Sqlite(path, { readonly: true, fileMustExist: true, timeout });
  return new Kysely<ControlTables>({ dialect: new SqliteDialect({ database }) });
}

function openPostgres(url: string, timeoutMs: number): Database {
  if (!isClearAddress(url)) throw new AppError('configuration', `not a URL: ${shownAddress(url)}; ${UNCLEAR_ADDRESS}`);
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'modelstats doctor',
    max: 1,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs,
  });
  pool.on('error', () => {}); // Reported by the next query.
  return new Kysely<ControlTables>({ dialect: new PostgresDialect({ pool }) });
}

async function inspect(kysely: Database, { hasClock }: { readonly hasClock: boolean }): Promise<DatabaseInspection> {
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
