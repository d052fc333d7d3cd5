import fs, { lstat, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFolder } from '../../test/support/accounts/control-databases.ts';
import { backupSqlite } from './backup-sqlite.ts';
import { openSqliteDatabase, SQLITE_OPTIONS } from './sqlite-database.ts';

const realLink = fs.link;

let folder: string;
beforeEach(async () => {
  folder = await openFolder();
  await (await openSqliteDatabase(at('accounts.db'), SQLITE_OPTIONS)).close();
});
afterEach(async () => {
  const calls = vi.mocked(fs.link).mock.calls.length;
  vi.mocked(fs.link).mockRestore(); // Other files share the process.
  syncBuiltinESMExports();
  expect(calls).toBe(1);
});

const at = (name: string) => join(folder, name);
const copies = async () => (await readdir(folder)).filter((name) => name.startsWith('copy'));

/** Has the copy get its name like this. */
function linkLike(like: typeof realLink): void {
  vi.spyOn(fs, 'link').mockImplementation(like);
  syncBuiltinESMExports();
}

test('a copy lies under another name, where nobody else may read it, until it is proven', async () => {
  const seen: unknown[] = [];
  linkLike(async (from, to) => {
    seen.push(await copies(), (await stat(from)).mode & 0o777);
    await realLink(from, to);
  });
  await backupSqlite(at('accounts.db'), at('copy.db'));
  expect(seen).toEqual([[expect.stringMatching(/^copy\.db\.\d+-[0-9a-f]{8}\.partial$/)], 0o600]);
  expect(await copies()).toEqual(['copy.db']);
});

/** As on exFAT, SMB and some FUSE file systems. */
const withoutHardLinks = () =>
  Promise.reject(Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' }));

test('a file system without hard links gets its copy as well', async () => {
  linkLike(withoutHardLinks);
  const bytes = await backupSqlite(at('accounts.db'), at('copy.db'));
  const { size, mode } = await lstat(at('copy.db'));
  expect({ size, mode: mode & 0o777 }).toEqual({ size: bytes, mode: 0o600 });
  expect(await copies()).toEqual(['copy.db']);
});

describe('what somebody else puts under the name while it is copied', () => {
  test.each([
    ['with hard links', realLink],
    ['without', withoutHardLinks],
  ])('is not written over, on a file system %s', async (_, like) => {
    linkLike(async (from, to) => {
      await writeFile(at('copy.db'), 'mine');
      await like(from, to);
    });
    await expect(backupSqlite(at('accounts.db'), at('copy.db'))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/copy\.db is there already: name a new file$/),
    });
    expect(await copies()).toEqual(['copy.db']);
    expect(await readFile(at('copy.db'), 'utf8')).toBe('mine');
  });
});
