import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { AppError } from '../../../schemas/errors.ts';
import type { Copy } from '../copy.ts';
import type { DuckDBOptions } from './duckdb-copy.ts';
import { lockCopy } from './lock.ts';

const POSTGRES = /^postgres(?:ql)?:\/\//;
const DUCKDB = new Set(['.duckdb', '.ddb']);
const SQLITE = new Set(['.sqlite', '.sqlite3', '.db']);

/**
 * Opens the copy at `into`, for one process alone: `postgres://…`, a file `*.duckdb` or `*.sqlite`, else a folder. Rejects with
 * `usage` where something else is there, or another process is at work.
 */
export async function openCopy(into: string, options: DuckDBOptions): Promise<Copy> {
  if (isPostgres(into)) return (await import('./postgres-copy.ts')).PostgresCopy.open(into);
  const path = resolve(into);
  if (!isFolder(dirname(path))) throw new AppError('usage', `there is no folder ${dirname(path)}`);
  const unlock = lockCopy(path);
  try {
    const copy = await openFile(path, options);
    return {
      isVerbatim: copy.isVerbatim,
      batchEvents: copy.batchEvents,
      state: () => copy.state(),
      lines: (dataset) => copy.lines(dataset),
      update: (update) => copy.update(update),
      close: async () => {
        await copy.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openFile(path: string, options: DuckDBOptions): Promise<Copy> {
  const extension = extname(path).toLowerCase();
  if (isFolder(path)) return (await import('./folder-copy.ts')).FolderCopy.open(path);
  if (DUCKDB.has(extension)) return (await import('./duckdb-copy.ts')).DuckDBCopy.open(path, options);
  if (SQLITE.has(extension)) return new (await import('./sqlite-copy.ts')).SqliteCopy(path);
  if (extension === '') return (await import('./folder-copy.ts')).FolderCopy.open(path);
  const known = [...DUCKDB, ...SQLITE].join(', ');
  throw new AppError('usage', `${path}: a file must end in one of ${known}; a new folder's name has no ending`);
}

/** Where what is on its way into a copy lies: beside a file or folder, so that there is as much room. */
export function scratchFolderOf(into: string): string {
  if (isPostgres(into))
    return join(tmpdir(), `modelstats-sync-${createHash('sha256').update(into).digest('hex').slice(0, 16)}`);
  return `${resolve(into)}.sync`;
}

function isPostgres(into: string): boolean {
  return POSTGRES.test(into);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
