import fs, { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { describeOnSmallDisk } from '../../test/support/processes/small-disk.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { backupSqlite } from './backup-sqlite.ts';
import { openSqliteDatabase, SQLITE_OPTIONS } from './sqlite-database.ts';

const at = useFolder({ perTest: true });
const makeDatabase = async () => (await openSqliteDatabase(at('accounts.db'), SQLITE_OPTIONS)).close();
const backup = () => backupSqlite(at('accounts.db'), at('copy.db'));
const copies = async () => (await readdir(at())).filter((name) => name.startsWith('copy'));

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
  const bytes = await backup();
  clearInterval(timer);
  writer.close();
  await database.close();

  expect(await copies()).toEqual(['copy.db']);
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

test.each([
  [
    'is not there',
    'none.db',
    'unavailable',
    /none\.db can't be opened: ENOENT: .*; check the path in MODELSTATS_DATABASE$/,
  ],
  ['lies behind a file', 'text.db/a.db', 'unavailable', /can't be opened: ENOTDIR: .*the path in MODELSTATS_DATABASE$/],
  [
    'is a folder',
    'folder',
    'configuration',
    /folder can't be opened: it is a folder; name a file in MODELSTATS_DATABASE$/,
  ],
  [
    'is a device',
    '/dev/null',
    'configuration',
    /can't be opened: it is not a regular file; name a file in MODELSTATS_DATABASE$/,
  ],
  ['is none', 'text.db', 'configuration', /text\.db can't be opened: file is not a database; .*MODELSTATS_DATABASE$/],
])('a database that %s is neither made nor copied, and the setting is named', async (_, name, code, message) => {
  await writeFile(at('text.db'), 'no database, but long enough to look like one '.repeat(100));
  await mkdir(at('folder'));
  const error: unknown = await backupSqlite(resolve(at(), name), at('copy.db')).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect((await readdir(at())).sort()).toEqual(['folder', 'text.db']);
});

test('a copy that can not be written says what to do about it', async () => {
  await makeDatabase();
  const into = (path: string) => expect(backupSqlite(at('accounts.db'), path)).rejects;
  await into(at('no/where.db')).toThrow(
    /where\.db can't be written: ENOENT: .*; create its folder, or name a file elsewhere$/,
  );
  await into(at('accounts.db/copy.db')).toThrow(/ENOTDIR: .*; create its folder, or name a file elsewhere$/);
  await into(at(`${'x'.repeat(300)}.db`)).toThrow(
    /can't be written: ENAMETOOLONG: .*; name a file with a shorter path$/,
  );
  await symlink('circle', at('circle'));
  await into(at('circle/copy.db')).toThrow(/can't be written: ELOOP: .*; fix the link, or name a file elsewhere$/);
  await into(at('circle')).toThrow('already exists: name a new file');
});

describeOnSmallDisk('a disk without room for the copy', '1m', (disk) => {
  test('is named, and nothing of the copy stays', async () => {
    await makeDatabase();
    await disk.fill();
    const into = join(disk.path, 'copy.db');
    await expect(backupSqlite(at('accounts.db'), into)).rejects.toThrow(
      /accounts\.db can't be copied to .*copy\.db: database or disk is full; free space on its disk, or name a file/,
    );
    expect((await readdir(disk.path)).filter((name) => name.startsWith('copy'))).toEqual([]);
  });
});

test('nothing is written over', async () => {
  await makeDatabase();
  await writeFile(at('copy.db'), 'mine');
  await symlink('nowhere', at('link.db'));
  for (const name of ['copy.db', 'link.db'])
    await expect(backupSqlite(at('accounts.db'), at(name))).rejects.toThrow(`${name} already exists: name a new file`);
  const left = (await readdir(at())).filter((name) => !name.startsWith('accounts.db'));
  expect(left.sort()).toEqual(['copy.db', 'link.db']);
  expect(await readFile(at('copy.db'), 'utf8')).toBe('mine');
});

describe('the name of a copy', () => {
  const realLink = fs.link;
  beforeEach(makeDatabase);
  afterEach(() => {
    expect(vi.mocked(fs.link)).toHaveBeenCalledOnce();
    vi.mocked(fs.link).mockRestore(); // Other files share the process.
    syncBuiltinESMExports();
  });

  /** Has the copy get its name like this. */
  function linkLike(like: typeof realLink): void {
    vi.spyOn(fs, 'link').mockImplementation(like);
    syncBuiltinESMExports();
  }

  test('is another one, where nobody else may read it, until it is proven', async () => {
    const seen: unknown[] = [];
    linkLike(async (from, to) => {
      seen.push(await copies(), (await stat(from)).mode & 0o777);
      await realLink(from, to);
    });
    await backup();
    expect(seen).toEqual([[expect.stringMatching(/^copy\.db\.\d+-[0-9a-f]{8}\.partial$/)], 0o600]);
    expect(await copies()).toEqual(['copy.db']);
  });

  /** As on exFAT, SMB and some FUSE file systems. */
  const withoutHardLinks = () =>
    Promise.reject(Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' }));

  test('a file system without hard links gets its copy as well', async () => {
    linkLike(withoutHardLinks);
    const bytes = await backup();
    const { size, mode } = await lstat(at('copy.db'));
    expect({ size, mode: mode & 0o777 }).toEqual({ size: bytes, mode: 0o600 });
    expect(await copies()).toEqual(['copy.db']);
  });

  test.each([
    ['with hard links', realLink],
    ['without', withoutHardLinks],
  ])('that somebody else takes meanwhile is left to them, on a file system %s', async (_, like) => {
    linkLike(async (from, to) => {
      await writeFile(at('copy.db'), 'mine');
      await like(from, to);
    });
    await expect(backup()).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/copy\.db already exists: name a new file$/),
    });
    expect(await copies()).toEqual(['copy.db']);
    expect(await readFile(at('copy.db'), 'utf8')).toBe('mine');
  });
});
