import { resolve } from 'node:path';
import { sqliteFileFromUrl } from '../../../api/database/open-database.ts';
import { AppError } from '../../../runtime/errors.ts';
import { shownAddress } from '../../../runtime/shown-address.ts';
import { argument, commandGroup, defineCommand } from '../../cli/command.ts';

const backupDatabase = defineCommand({
  name: 'backup',
  description: 'Copy a SQLite control database into a file while it is in use; of PostgreSQL use pg_dump',
  arguments: { file: argument('a new file') },
  examples: ['modelstats database backup accounts-2026-11-20.db'],
  async run({ config, answer: response }, { file }) {
    const path = sqliteFileFromUrl(config.database.url);
    const database = shownAddress(config.database.url);
    if (path === undefined) throw new AppError('usage', `${database} is no SQLite file: copy it with pg_dump`);
    const { backupSqlite } = await import('../../../api/database/backup-sqlite.ts');
    const into = resolve(file);
    const bytes = await backupSqlite(path, into);
    response(
      { database, into, bytes },
      `${into} has all of ${database}, ${bytes} bytes; keep the secrets' key apart from it`,
    );
    return 0;
  },
});

export const database = commandGroup('database', 'Look after the control database', [backupDatabase]);
