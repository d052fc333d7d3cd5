import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LONG_FILES } from './longest-first.ts';

test('every file that is begun first is there, and once', () => {
  const root = join(import.meta.dirname, '../../..');
  expect(LONG_FILES.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(new Set(LONG_FILES).size).toBe(LONG_FILES.length);
});
