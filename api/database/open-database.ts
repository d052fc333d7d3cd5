import type { BaseLogger } from 'pino';
import { AppError } from '../../runtime/errors.ts';
import { isClearAddress, shownAddress, UNCLEAR_ADDRESS } from '../../runtime/shown-address.ts';
import type { ControlDatabase } from './control-database.ts';
import { POSTGRES_OPTIONS, type PostgresOptions } from './settings.ts';
import type { SqliteOptions } from './sqlite-database.ts';

export interface OpenDatabaseOptions {
  readonly sqlite?: Partial<SqliteOptions>;
  readonly postgres?: Partial<PostgresOptions>;
  /** Logs connections that ended unexpectedly. */
  readonly log?: Pick<BaseLogger, 'warn'>;
}

/**
 * Opens and migrates the control database at `sqlite:PATH` or `postgres://…`, loading only its driver. Rejects with
 * `configuration` for an invalid address or a database of a newer version, and with `unavailable`.
 */
export async function openDatabase(url: string, options: OpenDatabaseOptions = {}): Promise<ControlDatabase> {
  const file = sqliteFileFromUrl(url);
  if (file !== undefined) {
    const { openSqliteDatabase, SQLITE_OPTIONS } = await import('./sqlite-database.ts');
    return openSqliteDatabase(file, { ...SQLITE_OPTIONS, ...options.sqlite });
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    if (!isClearAddress(url)) throw notADatabase(url, `it is not a URL; ${UNCLEAR_ADDRESS}`);
    const { openPostgresDatabase } = await import('./postgres-database.ts');
    return openPostgresDatabase(url, { ...POSTGRES_OPTIONS, ...options.postgres, log: options.log });
  }
  throw notADatabase(url, 'it must begin with sqlite: or postgres://');
}

/** Undefined for other addresses. Throws `configuration` for an invalid path. */
export function sqliteFileFromUrl(url: string): string | undefined {
  if (!url.startsWith('sqlite:')) return undefined;
  const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (path.trim() === '' || path.includes('\0')) throw notADatabase(url, 'the path is missing');
  if (path.startsWith('~')) throw notADatabase(url, '~ is not expanded, write the full path');
  return path;
}

function notADatabase(url: string, why: string): AppError {
  const message = `not a control database address: '${shownAddress(url)}': ${why}; for example sqlite:./data/accounts.db or postgres://user@host/modelstats`;
  return new AppError('configuration', message);
}
