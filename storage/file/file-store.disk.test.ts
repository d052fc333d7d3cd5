import { chmod, readdir, symlink, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { describeOnSmallDisk } from '../../test/support/processes/small-disk.ts';
import { heard, StoreProcesses } from '../../test/support/storage/file-store-processes.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { FileStore } from './file-store.ts';

const root = useFolder({ perTest: true });
const processes = new StoreProcesses();
afterEach(() => processes.kill());

describe('where the disk refuses', () => {
  test('a read-only folder is reported as such, and can still be read', async () => {
    const store = new FileStore(root());
    await store.put('there/already', Buffer.from('x'));
    await chmod(root(), 0o555);
    const writer = processes.startUnprivileged(root(), 'put', 'there/next', '3');
    expect(await heard(writer, 'code')).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(
        `cannot write there/next in the store file:${root()}: this user has no permission`,
      ),
    });
    await chmod(root(), 0o755);
    expect((await store.get('there/already'))?.body.toString()).toBe('x');
  });

  test('a read-only lock file locks nobody out quietly: replacing is refused, nothing changes', async () => {
    const store = new FileStore(root());
    await store.put('key', Buffer.from('before'));
    await store.put('key', Buffer.from('again'));
    await chmod(root('.lock'), 0o444);
    for (const folder of [root(), root('.tmp')]) await chmod(folder, 0o777);
    expect(await heard(processes.startUnprivileged(root(), 'put', 'key', '3'), 'code')).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('its lock file .lock is read-only for this user'),
    });
    expect((await store.get('key'))?.body.toString()).toBe('again');
  });

  test('a file larger than allowed is reported as such, leaves no object and no rest', async () => {
    const child = processes.startWithFileLimit(4096, root(), 'put', 'big', '10000000');
    expect(await heard(child, 'code')).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('the file is larger than the system allows'),
    });
    expect(await readdir(root())).toEqual(['.tmp']);
    expect(await readdir(root('.tmp'))).toEqual([]);
  });

  test('a root whose path leads through a file is reported as such', async () => {
    await writeFile(root('file'), '');
    const store = new FileStore(root('file/store'));
    expect(await store.get('key')).toBeUndefined();
    await expect(store.put('key', Buffer.from('x'))).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('a part of the path is a file'),
    });
  });

  test.each([
    ['to nothing', 'nowhere', 'a part of the path is a file or a broken link, not a folder'],
    ['that leads in a circle', 'link', 'the links in the path form a circle'],
  ])('a root that is a link %s is reported as such', async (_, target, reason) => {
    await symlink(target, root('link'));
    await expect(new FileStore(root('link')).put('key', Buffer.from('x'))).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`/link: ${reason}`),
    });
  });
});

describeOnSmallDisk('a disk', '1m', (disk) => {
  test('that is full is reported as such, what was there stays, and writing goes on once there is room', async () => {
    const store = new FileStore(disk.path);
    await store.put('kept', Buffer.from('before'));
    await expect(store.put('releases/day/huge', Buffer.alloc(2_000_000))).rejects.toMatchObject({
      code: 'store_unavailable',
      message: `cannot write releases/day/huge in the store file:${disk.path}: the disk is full`,
    });
    expect((await store.get('kept'))?.body.toString()).toBe('before');
    await store.put('kept', Buffer.alloc(500_000));
    await store.put('kept', Buffer.from('after'));
  });

  test('that is read-only is reported as such, and can still be read', async () => {
    const store = new FileStore(disk.path);
    const { etag } = await store.put('kept', Buffer.from('before'));
    disk.remount('ro');
    for (const writing of [() => store.put('next', Buffer.from('x')), () => store.delete('kept')]) {
      await expect(writing()).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringMatching(/ in the store file:.*: it is read-only$/),
      });
    }
    expect(await store.get('kept')).toEqual({ body: Buffer.from('before'), etag });
  });
});
