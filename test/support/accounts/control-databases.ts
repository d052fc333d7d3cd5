import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { openDatabase, sqliteFileFromUrl } from '../../../api/database/open-database.ts';
import { PostgresServer } from '../processes/postgres-server.ts';
import { describeWith } from '../processes/server-process.ts';

/** A folder that goes away with the test that runs. */
export async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes empty control databases on SQLite, for the tests of a file; resolves to their addresses. */
export function useSqlite(): () => Promise<string> {
  let folder = '';
  let databases = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'modelstats-sqlite-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  return async () => `sqlite:${join(folder, `${++databases}.db`)}`;
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
