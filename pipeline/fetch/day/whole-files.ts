import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { FetchedFile } from '../../../schemas/upstreams.ts';
import { hashFile } from '../../../storage/hash.ts';

/** Whether a day's folder holds exactly what was fetched: the file, and what was unpacked from it. */
export async function isWhole(folder: string, fetched: FetchedFile): Promise<boolean> {
  const { file, sha256, unzipped } = fetched;
  if (sha256 === null) return false;
  try {
    if ((await hashFile(join(folder, file))).sha256 !== sha256) return false;
    return unzipped === null || (await hashFolder(join(folder, unzipped.folder))) === unzipped.sha256;
  } catch {
    return false;
  }
}

/** The SHA-256 of the paths and hashes of a folder's files, in the order of the paths. */
export async function hashFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = new Map<string, string>();
  for (const path of paths) {
    files.set(relative(folder, path).split(sep).join('/'), (await hashFile(path)).sha256);
  }
  return hashOfFiles(files);
}

/** @param files each path with its SHA-256 */
export function hashOfFiles(files: ReadonlyMap<string, string>): string {
  const lines = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, sha256]) => `${path} ${sha256}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}
