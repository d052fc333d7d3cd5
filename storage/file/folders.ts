import { mkdir, open, readdir, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { orUndefined } from './objects.ts';

/** Makes the names in a folder durable; fine when the folder is gone, for then it has no names. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await orUndefined(open(folder, 'r'));
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

/**
 * Makes the names in a folder and in all folders above it durable, up to the root. All of them, every time: a folder that is
 * there may be one that another process made a moment ago and has not made durable yet.
 */
export async function syncUpTo(root: string, folder: string): Promise<void> {
  await syncFolder(folder);
  if (folder !== root) await syncUpTo(root, dirname(folder));
}

/** Makes a folder and those above it that are missing, durably. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) await syncUpTo(dirname(first), folder);
}

/** Removes a folder and those above it that are empty, below the root. */
export async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  if (folder === root) return;
  try {
    await rmdir(folder);
  } catch {
    return; // Not empty, or gone: either way nothing is left to do.
  }
  await removeEmptyFolders(root, dirname(folder));
}

/** Enough to clean up after years of killed nights, few enough not to delay a start. */
const FILES_REMOVED_MAX = 1000;

/** Removes the files of a folder that were last written before then. */
export async function removeFilesBefore(folder: string, then: Date): Promise<void> {
  for (const name of (await readdir(folder)).slice(0, FILES_REMOVED_MAX)) {
    const path = join(folder, name);
    const stats = await orUndefined(stat(path));
    if (stats?.isFile() && stats.mtime < then) await orUndefined(unlink(path));
  }
}
