import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../documents/text-files.ts';
import { LONG_FILES } from './longest-first.ts';

test('every file that is begun first is there, and once', () => {
  expect(LONG_FILES.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(new Set(LONG_FILES).size).toBe(LONG_FILES.length);
});
