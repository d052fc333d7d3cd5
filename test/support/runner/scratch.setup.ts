import { mkdirSync, statfsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEPT_NIGHTS } from '../pipeline/kept-nights.ts';

/** A folder in memory on Linux, where nothing waits for a disk; a container may have a small one. */
const IN_MEMORY = '/dev/shm';
const FREE_BYTES_MIN = 4 * 1024 ** 3;

let scratch: string;

/** Makes the folder in which all that the test files of one run leave lies, among it the nights that they share. */
export async function setup(): Promise<void> {
  const parent = process.env['TMPDIR'] === undefined && hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();
  scratch = await mkdtemp(join(parent, 'modelstats-tests-'));
  await chmod(scratch, 0o1777); // As the folder that it stands in for: processes of the tests may run as other users.
  process.env['TMPDIR'] = scratch;
  process.env[KEPT_NIGHTS] = join(scratch, 'kept-nights');
  mkdirSync(join(scratch, 'kept-nights'));
}

export async function teardown(): Promise<void> {
  await rm(scratch, { recursive: true, force: true });
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= FREE_BYTES_MIN;
  } catch {
    return false; // Linux alone has it.
  }
}
