import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../documents/text-files.ts';

test('vitest lists the tests of all suites: it reads files without running them, so each has a test or a describe of its own', () => {
  const words = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'list'];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
