import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A text of the repository; `path` is relative to its root, with `/`. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export const ROOT = join(import.meta.dirname, '../../..');

/** What is no text of ours: data, and what npm writes. */
const NO_TEXT = /(^|\/)(expected|packed)\/|(^|\/)package-lock\.json$|^fixtures\/.*\.json$/;
/** What git doesn't track (.gitignore), where there is no git to say so. */
const UNTRACKED = ['.git', '.tools', 'node_modules', 'dist', 'coverage', 'reports', 'data'];
const TEXT_NAME = /\.(tsx?|css|js|mjs|sh|md|json|toml|ya?ml|sql)$|^(Makefile|Dockerfile|run|\.gitignore)$/;

/** Every text that a person wrote, in the order of paths. */
export function readTextFiles(): readonly TextFile[] {
  return listFiles()
    .filter((path) => TEXT_NAME.test(basename(path)) && !NO_TEXT.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/**
 * The paths of the repository's own files, in their order: those that git knows of, whatever a person keeps beside them; where there is no
 * git, all that it would not ignore.
 */
export function listFiles(): readonly string[] {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  const tracked = status === 0 ? stdout.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path))) : [];
  return tracked.length > 0 ? tracked.sort() : pathsBelow('');
}

/** The folders at the top of the repository, but for hidden ones. */
export function listFolders(): readonly string[] {
  const folders = listFiles().flatMap((path) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : []));
  return [...new Set(folders)].filter((name) => !name.startsWith('.'));
}

function pathsBelow(folder: string): readonly string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  return entries
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) return entry.isFile() ? [path] : [];
      const isIgnored = UNTRACKED.includes(path) || existsSync(join(ROOT, path, '.gitignore'));
      return isIgnored ? [] : pathsBelow(path);
    });
}
