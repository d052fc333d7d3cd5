import { mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { openFileStore } from '../../test/support/storage/contract-support.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { describeObjectStore } from '../object-store.contract.ts';
import { FileStore } from './file-store.ts';

describeObjectStore('FileStore', openFileStore);

describe('FileStore', () => {
  const root = useFolder({ perTest: true });
  const x = Buffer.from('x');

  async function keysOf(store: FileStore): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of store.list('')) keys.push(key);
    return keys;
  }

  test('objects have the age that the clock says, in a listing too', async () => {
    const now = new Date('2025-12-13T01:02:03.456Z');
    for (const random of [() => 0, () => 0.5, () => 0.999999]) {
      const store = new FileStore(root(), { clock: () => now, random });
      await store.put('key', x);
      expect((await store.head('key'))?.modifiedAt).toEqual(now);
      for await (const { modifiedAt } of store.list('')) expect(modifiedAt).toEqual(now);
      await store.delete('key');
    }
  });

  test('versions differ even when the clock stands still or runs back', async () => {
    let hour = 20;
    const store = new FileStore(root(), { clock: () => new Date(Date.UTC(2025, 0, 1, hour)), random: () => 0.5 });
    const etags = new Set<string>();
    for (let round = 0; round < 40; round += 1) {
      etags.add((await store.put('key', x)).etag);
      if (round > 20) hour -= 1;
    }
    expect(etags.size).toBe(40);
  });

  test('lists nothing but objects, whatever else lies in the folder', async () => {
    const store = new FileStore(root());
    await store.put('a/object', x);
    await store.put('a/object', x);
    for (const name of ['.DS_Store', 'my notes.txt', 'a/.hidden', 'a/~backup']) await writeFile(root(name), 'x');
    await mkdir(root('lost+found'));
    expect(await keysOf(store)).toEqual(['a/object']);
  });

  test('follows folders that an operator moved and linked', async () => {
    const store = new FileStore(root());
    await store.put('moved/object', x);
    await rename(root('moved'), root('.elsewhere'));
    await symlink('.elsewhere', root('moved'));
    expect(await keysOf(store)).toEqual(['moved/object']);
    expect((await store.get('moved/object'))?.body).toEqual(x);
  });

  test('deleting leaves no empty folders and never the root', async () => {
    const store = new FileStore(root());
    await store.put('deep/down/object', x);
    await store.delete('deep/down/object');
    expect((await readdir(root())).sort()).toEqual(['.lock', '.tmp']);
  });

  test('an object is readable by others as far as the umask allows, whatever the rights of the local file', async () => {
    const path = root('.source');
    await writeFile(path, 'x', { mode: 0o600 });
    await new FileStore(root()).putFile('key', path);
    const { mode, nlink } = await stat(root('key'));
    expect(mode & 0o777).toBe(0o666 & ~process.umask());
    expect(nlink).toBe(1);
  });

  test('a folder in the way of an object is an error of the store, not a lost condition', async () => {
    const store = new FileStore(root());
    await store.put('name/below', x);
    await expect(store.put('name', x)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: `cannot write name in the store file:${root()}: a folder has this name`,
    });
    await expect(store.put('name/below/object', x)).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  test('signs URLs with what it was given, and is not configured for them otherwise', async () => {
    const signUrl = async (key: string, options: { expiresInSeconds: number }) =>
      `https://x/${key}?${options.expiresInSeconds}`;
    expect(await new FileStore(root(), { signUrl }).signedUrl('key', { expiresInSeconds: 900 })).toBe(
      'https://x/key?900',
    );
    await expect(new FileStore(root()).signedUrl('key', { expiresInSeconds: 900 })).rejects.toMatchObject({
      code: 'configuration',
    });
  });
});
