import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IS_UPDATE } from '../../night/golden-files.ts';
import { ROOT } from './text-files.ts';

/** The lines of a table that stands in a document below a comment of its own; `make golden` first makes it what it now is. */
export function goldenTable(path: string, comment: string, actual: readonly string[]): readonly string[] {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
  const from = lines.indexOf(`<!-- ${comment} -->`) + 1;
  if (from === 0) throw new Error(`${path} has no line <!-- ${comment} -->`);
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
  if (!IS_UPDATE) return lines.slice(from, from + length);
  lines.splice(from, length, ...actual);
  writeFileSync(join(ROOT, path), lines.join('\n'));
  return actual;
}
