/**
 * Many tests serve a store that another has served before. Its view is built once in a run of the tests, kept, and copied from then on: the
 * API begins as one that is started again (`api/view/view-folder.test.ts`), for a quarter of the processor time. Where a test has a part in
 * how the view is made, its own is built.
 */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { sha256 } from '../../../storage/hash.ts';
import { filesIn, KEPT_NIGHTS } from '../pipeline/kept-nights.ts';

/** Larger stores are rare, and their views would fill the disk. */
const STORE_BYTES_MAX = 4 << 20;

/**
 * Where the view of a store is kept in this run, by all that the store holds; undefined where nothing is kept.
 * @param storeFolder undefined: the store is no folder
 */
export async function placeOfView(storeFolder: string | undefined): Promise<string | undefined> {
  const place = process.env[KEPT_NIGHTS];
  if (place === undefined || storeFolder === undefined || !existsSync(storeFolder)) return undefined;
  const paths = await filesIn(storeFolder);
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  if (sizes.reduce((sum, size) => sum + size, 0) > STORE_BYTES_MAX) return undefined;
  const prints = paths.map(async (path) => `${relative(storeFolder, path)} ${sha256(await readFile(path))}`);
  return join(place, `view-${sha256((await Promise.all(prints)).join('\n')).slice(0, 32)}`);
}

/** Copies a kept view into a folder for views; whether there is one. */
export async function copyView(kept: string, viewFolder: string): Promise<boolean> {
  if (!existsSync(kept)) return false;
  await cp(kept, viewFolder, { recursive: true });
  return true;
}

export async function keepView(viewFolder: string, kept: string): Promise<void> {
  const copy = await mkdtemp(`${kept}.`);
  await cp(viewFolder, copy, { recursive: true, filter: (path) => !basename(path).startsWith('lock') });
  await rename(copy, kept).catch(() => rm(copy, { recursive: true })); // Where another process was quicker.
}
