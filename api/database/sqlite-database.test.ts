import { lstat, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useSqlite } from '../../test/support/accounts/control-databases.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { describeControlDatabase } from './database.contract.ts';
import { inspectDatabase } from './inspect-database.ts';
import { openSqliteDatabase, SQLITE_OPTIONS } from './sqlite-database.ts';

describeControlDatabase('SQLite', useSqlite());

const at = useFolder({ perTest: true });
let umask: number;
beforeEach(() => {
  umask = process.umask(0);
});
afterEach(() => void process.umask(umask));

const look = (name: string) => inspectDatabase(`sqlite:${at(name)}`, { timeoutMs: 1000 });

test('a link to a file that is not there yet is followed when the database is made, for its user alone', async () => {
  await mkdir(at('disk/deep'), { recursive: true });
  await symlink('disk/deep', at('linked'));
  await symlink('../data.db', at('disk/deep/accounts.db')); // Of the folder that it really lies in.
  await symlink('linked/accounts.db', at('a.db'));
  expect(await look('a.db'), 'not there yet').toBeUndefined();
  const database = await openSqliteDatabase(at('a.db'), SQLITE_OPTIONS);
  const made = (await readdir(at('disk'))).sort();
  expect(made).toEqual(['data.db', 'data.db-shm', 'data.db-wal', 'deep']);
  for (const name of made.slice(0, 3)) expect((await stat(at(`disk/${name}`))).mode & 0o777, name).toBe(0o600);
  await database.close();
  expect((await lstat(at('a.db'))).isSymbolicLink()).toBe(true);
  expect(await look('a.db')).toMatchObject({ pending: [] });
});

test.each([
  [
    'a link into a folder that is not there',
    'lost.db',
    /ENOENT: .*'.*\/no\/where.*'; check the path in MODELSTATS_DATABASE$/,
  ],
  ['a link that leads in a circle', 'circle.db', /ELOOP: .*; fix the link, or correct MODELSTATS_DATABASE$/],
  ['a name that is too long', `${'x'.repeat(300)}.db`, /ENAMETOOLONG: .*; .*shorter path in MODELSTATS_DATABASE$/],
])('%s is told alike by whoever opens it and by whoever looks', async (_, name, message) => {
  await symlink('no/where/a.db', at('lost.db'));
  await symlink('circle.db', at('circle.db'));
  await expect(openSqliteDatabase(at(name), SQLITE_OPTIONS)).rejects.toThrow(message);
  await expect(look(name)).rejects.toThrow(message);
  expect((await readdir(at())).sort()).toEqual(['circle.db', 'lost.db']);
});
