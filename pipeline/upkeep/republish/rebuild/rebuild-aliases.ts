import { copyFile } from 'node:fs/promises';
import { getReleaseFile } from '../../../../storage/fetch-object.ts';
import { RELEASE_PATHS } from '../../../../storage/keys.ts';
import { assertProven, type Materials } from './materials.ts';

/**
 * Puts `state/aliases.parquet` back from the release before, where the source's names were the same: the same names give the same
 * bytes. Else rejects with `corrupt`: they stand nowhere else.
 */
export async function rebuildAliases(to: string, materials: Materials): Promise<void> {
  const { path, sha256 } = getReleaseFile(materials.release, RELEASE_PATHS.aliases);
  const before = materials.previous?.files.find((file) => file.path === path);
  assertProven(before?.sha256 === sha256, 'the night before had no names, or others');
  await copyFile(await materials.copyBefore(path), to);
}
