import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** What each folder may import besides itself; a check of its own beside the lint rules in biome.json. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  storage: ['schemas'],
  accounts: ['schemas'],
  pipeline: ['schemas', 'storage', 'accounts'],
  api: ['schemas', 'storage', 'accounts'],
  webhooks: ['schemas', 'storage', 'accounts'],
  client: ['schemas', 'storage', 'accounts'],
  bin: ['schemas', 'storage', 'accounts', 'pipeline', 'api', 'webhooks', 'client'],
};
const ROOT = join(import.meta.dirname, '..');
const IMPORTED = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;
const TEST_FILE = /\.(test|contract)\.ts$|\/testing\//;
const ENVIRONMENT = /\{[^}]*\b(?:env|argv)\b[^}]*\}\s*from\s*['"](?:node:)?process['"]/;

/** Every import of a file (path from the root) that goes against the direction. */
function violationsIn(file: string, text: string): string[] {
  const folder = file.slice(0, file.indexOf('/'));
  const isTest = TEST_FILE.test(file);
  const allowed = [folder, ...(MAY_IMPORT[folder] ?? []), ...(isTest ? ['test'] : [])];
  const targets = [...text.matchAll(IMPORTED)].flatMap(([, name]) =>
    name?.startsWith('.') ? [normalize(join(dirname(file), name))] : [],
  );
  const wrong = targets.filter((target) => {
    const into = target.includes('/') ? target.slice(0, target.indexOf('/')) : folder;
    return !allowed.includes(into) || (!isTest && TEST_FILE.test(target));
  });
  const readsEnvironment = folder !== 'bin' && !isTest && ENVIRONMENT.test(text);
  return [...wrong, ...(readsEnvironment ? ['node:process'] : [])].map((target) => `${file} imports ${target}`);
}

test.each([
  ['schemas/a.ts', "import type { B } from '../storage/b.ts';"],
  ['storage/s3/a.ts', "export { b } from '../../accounts/b.ts';"],
  ['pipeline/a.ts', "const b = await import('../api/b.ts');"],
  ['api/a.test.ts', "import { b } from '../pipeline/b.ts';"],
  ['bin/a.ts', "import { b } from '../test/b.ts';"],
  ['storage/a.ts', "import { b } from './b.contract.ts';"],
  ['storage/a.ts', "import { env } from 'node:process';"],
])('%s with «%s» is a violation', (file, text) => {
  expect(violationsIn(file, text)).toHaveLength(1);
});

test('imports point from bin/ down to schemas/, and nothing shipped imports a test', () => {
  const files = Object.keys(MAY_IMPORT)
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((f) => `${folder}/${f}`),
    )
    .filter((file) => file.endsWith('.ts'));
  expect(files).not.toHaveLength(0);
  expect(files.flatMap((file) => violationsIn(file, readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});
