import { constants } from 'node:fs';
import { access, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

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
