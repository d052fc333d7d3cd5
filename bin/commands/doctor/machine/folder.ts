import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, rm, statfs, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageFromError } from '../../../../runtime/errors.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';
import { nearestFolder } from '../grounds/nearest-folder.ts';

/** Below this a night, or a view beside the one in use, has hardly room. */
const FREE_BYTES_LOW = 2 * 1024 ** 3;
/** Below this not even reports and logs have. */
const FREE_BYTES_MIN = 100 * 1024 ** 2;

/**
 * Whether a folder of ours can be written and has space. Where it isn't there yet, whether it could be made: it is not made. Where it
 * is, an object of a few bytes is written there and removed, which alone shows a disk that is full or read-only.
 */
export async function lookAtFolder(name: string, path: string): Promise<Finding> {
  const folder = resolve(path);
  let there: string;
  try {
    there = await nearestFolder(folder);
    await access(there, constants.W_OK | constants.X_OK);
    if (there === folder) await writeAndRemove(folder);
  } catch (error) {
    const who = `the user ${process.getuid?.() ?? ''}`.trim();
    return fail(
      `the ${name} ${folder} can't be written: ${messageFromError(error)}`,
      `give ${who} the right to write there`,
    );
  }
  const free = await freeBytes(there);
  const told = `${folder}${there === folder ? '' : ' (made when it is needed)'}, ${inGibibytes(free)} free`;
  if (free < FREE_BYTES_MIN) return fail(told, 'free some space: soon nothing more can be written');
  if (free < FREE_BYTES_LOW)
    return warn(told, `free some space: less than ${inGibibytes(FREE_BYTES_LOW)} is soon used up`);
  return ok(told);
}

export function inGibibytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}

async function writeAndRemove(folder: string): Promise<void> {
  const probe = join(folder, `.probe-${randomUUID()}`);
  try {
    await writeFile(probe, 'probe', { flag: 'wx', flush: true });
  } finally {
    await rm(probe, { force: true });
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
