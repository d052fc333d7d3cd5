import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedObject } from '../object-store.ts';
import { isKey } from '../object-store.ts';
import { findObjectVersion, orUndefined } from './objects.ts';

/**
 * Walks the objects below a folder in the byte order of their whole keys, with the names of one folder per level in memory.
 * What can't be a key (dot files, temporary files, a stray `my notes.txt`) is no object. Symbolic links are followed.
 */
export function listFiles(root: string, prefix: string, startAfter = ''): AsyncGenerator<ListedObject> {
  return listFolder(root, prefix.slice(0, prefix.lastIndexOf('/') + 1), { prefix, startAfter });
}

interface Wanted {
  readonly prefix: string;
  /** Only keys behind it. */
  readonly startAfter: string;
}

/** @param folder the empty string, or a path with `/` at its end, which is a part of all keys in it */
async function* listFolder(root: string, folder: string, wanted: Wanted): AsyncGenerator<ListedObject> {
  const { prefix, startAfter } = wanted;
  for (const name of await namesIn(join(root, folder))) {
    const key = folder + name;
    if (!key.startsWith(prefix)) continue;
    // Keys are ASCII, so their order as text is that of their bytes; one in a folder is behind it.
    if (key <= startAfter && !startAfter.startsWith(key)) continue;
    if (key.endsWith('/')) {
      yield* listFolder(root, key, wanted);
      continue;
    }
    if (key <= startAfter) continue;
    const version = await findObjectVersion(join(root, key));
    if (version !== undefined) yield { key, bytes: version.bytes, modifiedAt: version.modifiedAt };
  }
}

/** The names in a folder, folders with `/` at the end: sorted like this, a walk in depth meets whole keys in their byte order. */
async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of (await orUndefined(readdir(folder, { withFileTypes: true }))) ?? []) {
    if (isKey(entry.name)) names.push((await isFolder(folder, entry)) ? `${entry.name}/` : entry.name);
  }
  return names.sort((a, b) => (a < b ? -1 : 1));
}

async function isFolder(folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return (await orUndefined(stat(join(folder, entry.name))))?.isDirectory() ?? false;
}
