import { resolve } from 'node:path';
import { AppError } from '../../../runtime/errors.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';
import type { CommandContext } from '../../cli/command-context.ts';

export interface BackupOptions {
  readonly file: string;
  readonly json?: boolean;
}

/** `modelstats database backup FILE`: a copy of a SQLite control database that is in use. */
export async function backupDatabase({ config, print }: CommandContext, options: BackupOptions): Promise<number> {
  const { sqliteFileFromUrl } = await import('../../../api/database/open-database.ts');
  const path = sqliteFileFromUrl(config.DATABASE);
  const database = shownAddress(config.DATABASE);
  if (path === undefined) throw new AppError('usage', `${database} is no SQLite file: copy it with pg_dump`);
  const { backupSqlite } = await import('../../../api/database/backup-sqlite.ts');
  const into = resolve(options.file);
  const bytes = await backupSqlite(path, into);
  print(
    options.json
      ? JSON.stringify({ database, into, bytes })
      : `${into} has all of ${database}, ${bytes} bytes; keep the secrets' key apart from it`,
  );
  return 0;
}
