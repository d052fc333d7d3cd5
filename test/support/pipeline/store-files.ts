import { cp, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { FileStore } from '../../../storage/file/file-store.ts';
import { sha256 } from '../../../storage/hash.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';

/** A file store in a folder of its own, whose objects a test can take away or damage. */
export type StoreFiles = Awaited<ReturnType<typeof openStoreFiles>>;

export const DAMAGES = ['lost', 'emptied', 'cut off', 'a bit flipped', 'too long'] as const;
export type Damage = (typeof DAMAGES)[number];

/** A copy of the store in a folder; an empty store where none is given. */
export async function openStoreFiles(copyOf?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-store-'));
  if (copyOf !== undefined) await cp(copyOf, folder, { recursive: true });
  const store: ObjectStore = new FileStore(folder);
  const byKey = async (textOf: (key: string) => Promise<string>) => {
    const entries: [string, string][] = [];
    for await (const { key } of store.list('')) entries.push([key, await textOf(key)]);
    return Object.fromEntries(entries);
  };
  return {
    folder,
    store,
    hashes: () => byKey(async (key) => sha256(await readFile(join(folder, key)))),
    /** The version of every object, by key: it changes with every write. */
    versions: () => byKey(async (key) => (await store.head(key))?.etag ?? ''),
    damage: (key: string, kind: Damage) => damageFile(join(folder, key), kind),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The same until the test that runs is over. */
export async function useStoreFiles(copyOf?: string): Promise<StoreFiles> {
  const files = await openStoreFiles(copyOf);
  onTestFinished(files.dispose);
  return files;
}

async function damageFile(path: string, kind: Damage): Promise<void> {
  const bytes = await readFile(path);
  switch (kind) {
    case 'lost':
      return unlink(path);
    case 'emptied':
      return writeFile(path, '');
    case 'cut off':
      return writeFile(path, bytes.subarray(0, bytes.length - 1));
    case 'a bit flipped':
      return writeFile(
        path,
        bytes.map((byte, index) => (index === bytes.length >> 1 ? byte ^ 1 : byte)),
      );
    case 'too long':
      return writeFile(path, Buffer.concat([bytes, Buffer.from('x')]));
  }
}
