import { copyFile } from 'node:fs/promises';
import { getReleaseFile } from '../../../../storage/fetch-object.ts';
import { assertProven, type Materials } from './materials.ts';

/**
 * Puts back what the source gave, and what stands nowhere else, from the release before: names of models and fetched files that were
 * the same there. Else rejects with `corrupt`.
 */
export async function copyUnchanged(path: string, to: string, materials: Materials): Promise<void> {
  const { sha256 } = getReleaseFile(materials.release, path);
  const before = materials.previous?.files.find((file) => file.path === path);
  assertProven(before?.sha256 === sha256, 'the night before had none, or another');
  await copyFile(await materials.copyBefore(path), to);
}
