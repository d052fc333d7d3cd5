import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text of the repository; `path` is relative to its root, with `/`. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export const ROOT = join(import.meta.dirname, '../../..');

/** What git doesn't track (.gitignore), and what is no text of ours: data, and what npm writes. */
const SKIPPED_FOLDERS = ['node_modules', 'dist', 'coverage', 'reports', '.git', '.tools', 'expected', 'packed'];
/** The stores that commands make unless told, at the top alone. */
const SKIPPED_PATHS = ['data'];
const SKIPPED_FILES = ['package-lock.json'];
const TEXT_NAME = /\.(tsx?|css|js|mjs|sh|md|json|toml|ya?ml|sql)$|^(Makefile|Dockerfile|run|\.gitignore)$/;

/** Every text that a person wrote, in the order of paths. */
export function readTextFiles(): readonly TextFile[] {
  return pathsBelow('')
    .filter((path) => !(path.startsWith('fixtures/') && path.endsWith('.json')))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

function pathsBelow(folder: string): readonly string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  return entries
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory())
        return SKIPPED_FOLDERS.includes(entry.name) || SKIPPED_PATHS.includes(path) ? [] : pathsBelow(path);
      return entry.isFile() && TEXT_NAME.test(entry.name) && !SKIPPED_FILES.includes(entry.name) ? [path] : [];
    });
}
