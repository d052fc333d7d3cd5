import { resolve } from 'node:path';
import { sqliteFileFromUrl } from '../../../api/database/open-database.ts';
import { AppError } from '../../../runtime/errors.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';
import { argument, commandGroup, defineCommand } from '../../cli/command.ts';

const backupDatabase = defineCommand({
  name: 'backup',
  description: 'Copy an SQLite control database into a file, also while it is in use; for PostgreSQL use pg_dump',
  arguments: { file: argument('a new file') },
  examples: ['modelstats database backup accounts-2026-11-20.db'],
  async run({ config, printResult }, { file }) {
    const path = sqliteFileFromUrl(config.database.url);
    const database = shownAddress(config.database.url);
    if (path === undefined) throw new AppError('usage', `${database} is not an SQLite file: use pg_dump`);
    const { backupSqlite } = await import('../../../api/database/backup-sqlite.ts');
    const into = resolve(file);
    const bytes = await backupSqlite(path, into);
    printResult(
      { database, into, bytes },
      `copied ${database} to ${into}, ${bytes} bytes; store the key for secrets elsewhere`,
    );
    return 0;
  },
});

export const database = commandGroup('database', 'Manage the control database', [backupDatabase]);
