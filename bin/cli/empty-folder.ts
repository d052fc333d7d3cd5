import { readdir } from 'node:fs/promises';
import { AppError, messageFromError } from '../../runtime/errors.ts';

/** Rejects with `usage` where a folder that a command is to fill has something in it, or can't be read; it need not be there. */
export async function assertEmptyFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new AppError('usage', `${folder} can't be used: ${messageFromError(error)}`);
  });
  if (names.length > 0) throw new AppError('usage', `${folder} is not empty: name a folder that is, or a new one`);
}
