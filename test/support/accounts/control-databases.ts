import { copyFile } from 'node:fs/promises';
import { openDatabase, sqliteFileFromUrl } from '../../../api/database/open-database.ts';
import { useFolder } from '../temporary-folder.ts';

/** Makes empty control databases on SQLite, for the tests of a file; resolves to their addresses. */
export function useSqlite(): () => Promise<string> {
  const at = useFolder();
  let databases = 0;
  return async () => `sqlite:${at(`${++databases}.db`)}`;
}

/** The same, brought up to this version, which takes as long as a short test: a file is made once and copied. */
export function useMigratedSqlite(): () => Promise<string> {
  const another = useSqlite();
  let made: Promise<string> | undefined;
  const make = async () => {
    const address = await another();
    await (await openDatabase(address)).close();
    return sqliteFileFromUrl(address) ?? '';
  };
  return async () => {
    made ??= make();
    const address = await another();
    await copyFile(await made, sqliteFileFromUrl(address) ?? '');
    return address;
  };
}
