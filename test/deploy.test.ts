import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './support/documents/text-files.ts';

function linesOf(path: string): readonly string[] {
  return readFileSync(join(ROOT, path), 'utf8').split('\n');
}

/** What the container's build reads: the folders that the compiler is given, the recipes, and what npm, tsc and its scripts need. */
function readByTheBuild(): readonly string[] {
  const { include } = JSON.parse(linesOf('tsconfig.build.json').join('\n'));
  const { scripts } = JSON.parse(linesOf('package.json').join('\n'));
  const configurations = [...String(scripts.build).matchAll(/tsc -p (\S+)/g)].map(([, name]) => String(name));
  const scriptFiles = [...String(scripts.build).matchAll(/node (\S+)/g)].map(([, name]) => String(name));
  return [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'tsconfig.json',
    ...configurations,
    ...scriptFiles,
    ...include,
    'sources',
  ];
}

test('all that the container is built from goes to its build, and nothing else', () => {
  const [ignoreAll, ...letIn] = linesOf('deploy/Dockerfile.dockerignore').filter((line) => /^[^#]/.test(line));
  expect(ignoreAll).toBe('*');
  expect(letIn.map((line) => line.replace(/^!/, '')).sort()).toEqual([...readByTheBuild()].sort());
});

test('the container stands on the recommended Node', () => {
  const images = linesOf('deploy/Dockerfile').filter((line) => line.startsWith('FROM'));
  expect(images.map((line) => /node:(\d+)/.exec(line)?.[1])).toEqual(['24', '24']);
});
