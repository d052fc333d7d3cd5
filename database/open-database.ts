import { AppError } from '../../schemas/errors.ts';
import { type Log, NO_LOG } from '../log.ts';
import type { ControlDatabase } from './control-database.ts';
import type { PostgresOptions } from './postgres-database.ts';
import type { SqliteOptions } from './sqlite-database.ts';

export interface OpenDatabaseOptions {
  readonly sqlite?: Partial<SqliteOptions>;
  readonly postgres?: Partial<PostgresOptions>;
  readonly log?: Log;
}

/**
 * The control database at an address: `sqlite:PATH`, where the path may be relative to the working folder, or
 * `postgres://…`. Rejects with `configuration` where it is neither.
 */
export async function openDatabase(url: string, options: OpenDatabaseOptions = {}): Promise<ControlDatabase> {
  if (url.startsWith('sqlite:')) {
    const { SqliteDatabase } = await import('./sqlite-database.ts');
    return SqliteDatabase.open(pathFromUrl(url), { busyTimeoutMs: 2_000, ...options.sqlite });
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    if (!URL.canParse(url)) throw notADatabase(url, 'it is no URL');
    const { PostgresDatabase, POSTGRES_OPTIONS } = await import('./postgres-database.ts');
    return PostgresDatabase.open(url, { ...POSTGRES_OPTIONS, ...options.postgres, log: options.log ?? NO_LOG });
  }
  throw notADatabase(url, 'it must begin with sqlite: or postgres://');
}

function pathFromUrl(url: string): string {
  const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (path.trim() === '' || path.includes('\0')) throw notADatabase(url, 'the path is missing');
  if (path.startsWith('~')) throw notADatabase(url, '~ has no meaning here, write the path out');
  return path;
}

function notADatabase(url: string, why: string): AppError {
  const shown = url.replace(/\/\/[^/@]*@/, '//…@'); // What stands before an @ may be a password.
  const message = `not the address of a control database: '${shown}': ${why}; for example sqlite:./data/accounts.db or postgres://user@host/modelstats`;
  return new AppError('configuration', message);
}
