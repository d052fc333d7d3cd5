import { readlink, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeFromError } from '../../../../runtime/errors.ts';

/** The folder, or the nearest one above it that is there; rejects where a file, or a link to nothing, is in the way. */
export async function nearestFolder(folder: string): Promise<string> {
  try {
    if ((await stat(folder)).isDirectory()) return folder;
    throw new Error(`${folder} is a file`);
  } catch (error) {
    if (codeFromError(error) !== 'ENOENT') throw error;
    const target = await readlink(folder).catch(() => undefined); // Nothing at all has that name.
    if (target !== undefined) throw new Error(`${folder} is a link to ${target}, which is not there`, { cause: error });
    return nearestFolder(dirname(folder)); // The root is always there.
  }
}
