import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEPT_NIGHTS } from './kept-nights.ts';

let folder: string;

/** Makes the folder in which the test files of one run share their nights. */
export async function setup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-kept-'));
  process.env[KEPT_NIGHTS] = folder;
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
