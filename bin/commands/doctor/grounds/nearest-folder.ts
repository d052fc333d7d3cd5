import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The folder, or the nearest one above it that is there; rejects where a file is in the way. */
export async function nearestFolder(folder: string): Promise<string> {
  try {
    if ((await stat(folder)).isDirectory()) return folder;
    throw new Error(`${folder} is a file`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    return nearestFolder(dirname(folder)); // The root is always there.
  }
}
