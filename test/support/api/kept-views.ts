/**
 * Many tests serve a store that another has served before. Its view is built once in a run of the tests, kept, and copied from then on: the
 * API begins as one that is started again (`api/view/kept-view.test.ts`), for a quarter of the processor time. Where a test has a part in
 * how the view is made, its own is built.
 */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { sha256 } from '../../../storage/hash.ts';
import { filesIn, KEPT_NIGHTS } from '../pipeline/kept-nights.ts';

/** Where the view of a store is kept in this run, by all that the store holds; undefined where nothing is kept. */
export async function placeOfView(storeFolder: string): Promise<string | undefined> {
  const place = process.env[KEPT_NIGHTS];
  if (place === undefined || !existsSync(storeFolder)) return undefined;
  const prints = (await filesIn(storeFolder)).map(async (path) => {
    return `${relative(storeFolder, path)} ${sha256(await readFile(path))}`;
  });
  return join(place, `view-${sha256((await Promise.all(prints)).join('\n')).slice(0, 32)}`);
}

/** Copies a kept view into a folder for views; whether there is one. */
export async function copyView(kept: string, viewFolder: string): Promise<boolean> {
  if (!existsSync(kept)) return false;
  await cp(kept, viewFolder, { recursive: true });
  return true;
}

/** Keeps the view that a folder holds. */
export async function keepView(viewFolder: string, kept: string): Promise<void> {
  const copy = await mkdtemp(`${kept}.`);
  await cp(viewFolder, copy, { recursive: true, filter: (path) => !basename(path).startsWith('lock') });
  await rename(copy, kept).catch(() => rm(copy, { recursive: true })); // Where another process was quicker.
}
