import { copyFile } from 'node:fs/promises';
import { afterAll, beforeAll } from 'vitest';
import { openDatabase, sqliteFileFromUrl } from '../../../api/database/open-database.ts';
import { PostgresServer } from '../processes/postgres-server.ts';
import { describeWith } from '../processes/server-process.ts';
import { newFolder, useFolder } from '../temporary-folder.ts';

/** A folder that goes away with the test that runs. */
export const openFolder = newFolder;

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

/** Tests with a PostgreSQL server of the file, of which `another` makes empty control databases; left out where there is none. */
export function describeOnPostgres(
  tests: (another: () => Promise<string>, server: () => PostgresServer) => void,
): void {
  describeWith('postgres', 'with a PostgreSQL server', () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await PostgresServer.start();
    });
    afterAll(() => server?.stop());
    tests(
      () => server.createDatabase(),
      () => server,
    );
  });
}
