/**
 * Limits reads to regular files inside the source's folder (specification "Source folder"; decision 0040). A link
 * counts as its target, which must also be inside. Pipes, sockets and devices are refused: reading one may never end.
 */

import { isUtf8 } from 'node:buffer';
import { open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Day, isDay } from '../../runtime/day.ts';
import { AppError, messageFromError } from '../../runtime/errors.ts';

/** Entries of a day checked before its `source.sql` may read them. */
const ENTRIES_MAX = 100_000;

/** Rejects with `source_rejected`. */
export async function assertFile(root: string, path: string): Promise<void> {
  const found = await lookUp(root, path);
  if (!found.isFile()) throw refused(root, path, 'is not a regular file');
}

/** Rejects with `source_rejected`. */
export async function assertFolder(root: string, path: string): Promise<void> {
  const found = await lookUp(root, path);
  if (!found.isDirectory()) throw refused(root, path, 'is not a folder');
}

async function isFile(root: string, path: string): Promise<boolean> {
  try {
    return (await lookUp(root, path)).isFile();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return false;
  }
}

/**
 * Rejects with `source_rejected` where anything below a folder, also behind links, is not a folder or a regular file
 * inside the source.
 */
export async function assertTree(root: string, folder: string): Promise<void> {
  const checked = new Set<string>();
  let entries = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const real = await realpath(next);
    if (checked.has(real)) continue;
    checked.add(real);
    const found = await listTree(root, next);
    entries += found.length;
    if (entries > ENTRIES_MAX) throw refused(root, folder, `has more than ${ENTRIES_MAX} files and folders`);
    waiting.push(...found.filter(({ isLinked }) => isLinked).map(({ path }) => path));
  }
}

/** Doesn't follow links; `isLinked` marks links to folders. */
async function listTree(root: string, folder: string) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((cause) => {
    throw refused(root, folder, `can't be read: ${messageFromError(cause)}`);
  });
  const found: { readonly path: string; readonly isLinked: boolean }[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const isPlain = entry.isFile() || entry.isDirectory();
    const target = isPlain ? undefined : await lookUp(root, path);
    const isLinked = target?.isDirectory() ?? false;
    if (target !== undefined && !isLinked && !target.isFile()) throw refused(root, path, 'is not a regular file');
    found.push({ path, isLinked });
  }
  return found;
}

/** Follows links. */
async function lookUp(root: string, path: string) {
  try {
    const [inside, real] = [await realpath(root), await realpath(path)];
    if (real !== inside && !real.startsWith(inside.endsWith(sep) ? inside : inside + sep)) {
      throw refused(root, path, `links outside the source, to ${real}, which is refused; put a copy into the source`);
    }
    return await stat(real);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const target = isMissing ? await readlink(path).catch(() => '') : '';
    throw refused(root, path, isMissing ? `points to nothing: ${target}` : messageFromError(cause));
  }
}

function refused(root: string, path: string, reason: string): AppError {
  return new AppError('source_rejected', `${relative(root, path) || root}: ${reason}`);
}

const DATED = /^\d{4}-\d{2}-\d{2}$/;
const DAY_LIKE = /^\d{4}[-_.]?\d{1,2}[-_.]?\d{1,2}$/;

/**
 * The dated sub-folders of a source, oldest first; rejects where one is not a calendar day. Links count unless they
 * lead to a file; a broken one fails only the night of its day.
 */
export async function listSourceDays(root: string): Promise<readonly Day[]> {
  const days: string[] = [];
  for (const entry of await readFolder(root)) {
    if (!DATED.test(entry.name)) continue;
    if (entry.isDirectory() || (entry.isSymbolicLink() && !(await isFile(root, join(root, entry.name)))))
      days.push(entry.name);
  }
  const impossible = days.filter((day) => !isDay(day));
  if (impossible.length > 0) {
    throw new AppError(
      'source_rejected',
      `${root}: ${impossible.join(', ')} ${impossible.length === 1 ? 'is not a calendar day' : 'are not calendar days'}`,
    );
  }
  return days.sort();
}

/** A hint about sub-folders that look like days but are not named `YYYY-MM-DD`; undefined without any. */
export async function describeDayLike(root: string): Promise<string | undefined> {
  const names = (await readFolder(root))
    .filter((entry) => entry.isDirectory() && DAY_LIKE.test(entry.name) && !DATED.test(entry.name))
    .map(({ name }) => name)
    .sort();
  if (names.length === 0) return undefined;
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(', ') + (names.length > NAMES_SHOWN_MAX ? ', …' : '');
  return `${shown} ${names.length === 1 ? 'is' : 'are'} ignored: folders of days must be named YYYY-MM-DD`;
}

/** Names listed in a message. */
const NAMES_SHOWN_MAX = 5;

/** Rejects with `source_rejected`. */
export async function readFolder(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    throw new AppError('source_rejected', `the source ${folder} can't be read: ${messageFromError(cause)}`, { cause });
  }
}

/** Rejects with `source_rejected` where the file is larger, not UTF-8, or unreadable. */
export async function readText(path: string, bytesMax: number): Promise<string> {
  const bytes = await readStart(path, bytesMax + 1).catch((cause) => {
    throw new AppError('source_rejected', `${path} can't be read: ${messageFromError(cause)}`, { cause });
  });
  if (bytes.length > bytesMax) throw new AppError('source_rejected', `${path}: is larger than ${bytesMax} bytes`);
  if (!isUtf8(bytes)) throw new AppError('source_rejected', `${path}: is not UTF-8`);
  return bytes.toString('utf8');
}

export async function readStart(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
