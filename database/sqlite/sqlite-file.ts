import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

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
