import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backupSqlite } from './backup-sqlite.ts';
import { openSqliteDatabase, SQLITE_OPTIONS } from './sqlite-database.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-backup-'));
});
afterEach(() => rm(folder, { recursive: true }));

const at = (name: string) => join(folder, name);

test('a copy that is made while others write is the database at one instant, in one file that nobody else may read', async () => {
  const database = await openSqliteDatabase(at('accounts.db'), SQLITE_OPTIONS);
  const writer = new Sqlite(at('accounts.db'));
  writer.exec('CREATE TABLE one (n INTEGER, filling TEXT); CREATE TABLE two (n INTEGER)');
  const write = writer.transaction((number: number) => {
    writer.prepare('INSERT INTO one VALUES (?, ?)').run(number, 'x'.repeat(4000));
    writer.prepare('INSERT INTO two VALUES (?)').run(number);
  });
  for (let n = 0; n < 500; n += 1) write(n);
  let n = 500;
  const timer = setInterval(() => write(n++), 1);
  const bytes = await backupSqlite(at('accounts.db'), at('copy.db'));
  clearInterval(timer);
  writer.close();
  await database.close();

  expect((await readdir(folder)).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
  const { size, mode } = await stat(at('copy.db'));
  expect({ size, mode: mode & 0o777 }).toEqual({ size: bytes, mode: 0o600 });
  const copy = new Sqlite(at('copy.db'), { readonly: true });
  const counts = copy.prepare('SELECT (SELECT count(*) FROM one) AS one, (SELECT count(*) FROM two) AS two').get();
  const { one, two } = counts as { one: number; two: number }; // What the SELECT says.
  copy.close();
  expect(one).toBe(two);
  expect(one).toBeGreaterThanOrEqual(500);
  // It can be put in the database's place.
  await (await openSqliteDatabase(at('copy.db'), SQLITE_OPTIONS)).close();
});

test('a database that is not there, or is none, is neither made nor copied', async () => {
  await expect(backupSqlite(at('none.db'), at('copy.db'))).rejects.toThrow(/none\.db can't be copied to .*copy\.db/);
  await writeFile(at('text.db'), 'no database, but long enough to look like one '.repeat(100));
  await expect(backupSqlite(at('text.db'), at('copy.db'))).rejects.toThrow('file is not a database');
  expect(await readdir(folder)).toEqual(['text.db']);
});

test('nothing is written over', async () => {
  await (await openSqliteDatabase(at('accounts.db'), SQLITE_OPTIONS)).close();
  await writeFile(at('copy.db'), 'mine');
  await expect(backupSqlite(at('accounts.db'), at('copy.db'))).rejects.toThrow('is there already: name a new file');
  expect(await readFile(at('copy.db'), 'utf8')).toBe('mine');
});
