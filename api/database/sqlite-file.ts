import { constants } from 'node:fs';
import { access, link, lstat, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeFromError } from '../../runtime/errors.ts';
import { WITHOUT_HARD_LINKS } from '../../runtime/this-machine.ts';

/**
 * Rejects where a path leads to no file that this user may read, with the system's error or with `EISDIR` for what is no file at all.
 * SQLite says of each of these that it is unable to open it, or that the disk has an error, and waits for ever on a pipe.
 */
export async function refuseUnreadable(path: string): Promise<void> {
  const found = await stat(path);
  if (!found.isFile()) {
    const message = found.isDirectory() ? 'it is a folder' : 'it is no file of a disk';
    throw Object.assign(new Error(message), { code: 'EISDIR' });
  }
  await access(path, constants.R_OK);
}

/**
 * Where SQLite makes a file that is not there: the path itself, or what it leads to where it is a link to nothing. Rejects with the
 * system's error where a folder behind the link is missing.
 *
 * @param path one of which the system says `ENOENT`, so that no links lead in a circle
 */
export async function placeOfMissing(path: string): Promise<string> {
  const target = await readlink(path).catch(() => undefined); // What is no link, or not there, leads nowhere else.
  if (target === undefined) return path;
  const next = resolve(await realpath(dirname(path)), target);
  await stat(dirname(next));
  return placeOfMissing(next);
}

/** Nobody but this user reads what it holds. */
export const FILE_MODE = 0o600;

/** Makes an empty file that is for this user alone. Rejects with `EEXIST` where something, be it a link to nothing, has the name. */
export async function makeNewFile(path: string): Promise<void> {
  await (await open(path, 'wx', FILE_MODE)).close();
}

/** Whether anything has the name, be it a link to nothing. Rejects where that can't be told. */
export async function isTaken(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeFromError(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Gives a finished file a name that nothing has, durably. It may keep its old one, too. Rejects with `EEXIST` where something has
 * the name, which stays as it is.
 */
export async function giveNewName(file: string, name: string): Promise<void> {
  try {
    await link(file, name);
  } catch (error) {
    if (!WITHOUT_HARD_LINKS.has(codeFromError(error))) throw error;
    await renameToNew(file, name);
  }
  await syncFolder(dirname(name));
}

/** The name is taken first, by an empty file: a renaming alone would write over whatever came there meanwhile. */
async function renameToNew(file: string, name: string): Promise<void> {
  await makeNewFile(name);
  try {
    await rename(file, name);
  } catch (error) {
    await rm(name, { force: true });
    throw error;
  }
}

/** As far as the file system lets this user: the name is given, and SQLite goes on without it as well. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
