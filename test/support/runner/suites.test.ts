import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../documents/text-files.ts';
import { LONG_FILES } from './longest-first.ts';

test('every file that is begun first is there, and once', () => {
  expect(LONG_FILES.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(new Set(LONG_FILES).size).toBe(LONG_FILES.length);
});

/** `vi.mock` and its like, in pieces: this file names them too. */
const REPLACES_A_MODULE = new RegExp(`\\bvi\\.${'(mock|doMock|unmock|hoisted)'}\\(`);

test('no test file replaces a module: the next ones of its process would get what it put there, or it what they have loaded', async () => {
  const found: string[] = [];
  let files = 0;
  const options = { cwd: ROOT, exclude: ['node_modules', 'dist', '.tools'] };
  for await (const path of glob('**/*.{test,contract}.{ts,tsx}', options)) {
    files += 1;
    if (REPLACES_A_MODULE.test(await readFile(join(ROOT, path), 'utf8'))) found.push(path);
  }
  expect(found).toEqual([]);
  expect(files).toBeGreaterThan(300);
});
