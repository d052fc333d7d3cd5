/**
 * What of a source's folder may be read (specification "Source folder"; decision 0040): regular files that lie inside of it. A
 * link counts as what it points to, and only where that lies inside the source as well. Pipes, sockets and devices are refused:
 * reading one may never end.
 */
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { AppError, messageFromError } from '../../runtime/errors.ts';

/** Files and folders of a day that are looked at before its `source.sql` may read them. */
const ENTRIES_MAX = 100_000;

/** Rejects with `source_rejected` where a path of the source is no regular file inside of it. */
export async function assertFile(root: string, path: string): Promise<void> {
  const found = await lookUp(root, path);
  if (!found.isFile()) throw refused(root, path, 'is not a regular file');
}

/** Rejects with `source_rejected` where a path of the source is no folder inside of it. */
export async function assertFolder(root: string, path: string): Promise<void> {
  const found = await lookUp(root, path);
  if (!found.isDirectory()) throw refused(root, path, 'is not a folder');
}

/** True where a path is a regular file inside of the source, or a link to one. */
export async function isFile(root: string, path: string): Promise<boolean> {
  try {
    return (await lookUp(root, path)).isFile();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return false;
  }
}

/**
 * Rejects with `source_rejected` where anything below a folder is not a folder or a regular file inside of the source. Folders
 * behind links are looked through as well.
 */
export async function assertTree(root: string, folder: string): Promise<void> {
  const seen = new Set<string>();
  let entries = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const real = await realpath(next);
    if (seen.has(real)) continue;
    seen.add(real);
    const found = await listTree(root, next);
    entries += found.length;
    if (entries > ENTRIES_MAX) throw refused(root, folder, `has more than ${ENTRIES_MAX} files and folders`);
    waiting.push(...found.filter(({ isLinked }) => isLinked).map(({ path }) => path));
  }
}

/** Everything below a folder, links not followed; which of it are links to folders. */
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

/** What a path is, links followed. */
async function lookUp(root: string, path: string) {
  try {
    const [inside, real] = [await realpath(root), await realpath(path)];
    if (real !== inside && !real.startsWith(inside.endsWith(sep) ? inside : inside + sep)) {
      throw refused(
        root,
        path,
        `leads outside of the source, to ${real}; links out of it are refused: put a copy there`,
      );
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
