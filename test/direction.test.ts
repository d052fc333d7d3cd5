import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { findCircles } from './support/circles.ts';
import { listFiles, listFolders } from './support/documents/text-files.ts';
import { MAY_IMPORT, roomOf, SHIPPED } from './support/may-import.ts';

const ROOT = join(import.meta.dirname, '..');
const IMPORTED = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;
const TEST_FILE = /\.(test|contract)\.tsx?$/;
const ENVIRONMENT = /\{[^}]*\b(?:env|argv)\b[^}]*\}\s*from\s*['"](?:node:)?process['"]/;

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Every import of a file (path from the root) that goes against the direction. */
function violationsIn(file: string, text: string): string[] {
  const room = roomOf(file);
  const isTest = TEST_FILE.test(file);
  const allowed = [room, ...(MAY_IMPORT[room] ?? []), ...(isTest ? ['test'] : [])];
  const targets = [...text.matchAll(IMPORTED)].flatMap(([, name]) =>
    name?.startsWith('.') ? [normalize(join(dirname(file), name))] : [],
  );
  const wrong = targets.filter((target) => {
    const into = target.includes('/') ? roomOf(target) : room;
    return !allowed.includes(into) || (!isTest && TEST_FILE.test(target));
  });
  const readsEnvironment = room !== 'bin' && !isTest && ENVIRONMENT.test(text);
  return [...wrong, ...(readsEnvironment ? ['node:process'] : [])].map((target) => `${file} imports ${target}`);
}

test.each([
  ['schemas/a.ts', "import type { B } from '../storage/b.ts';"],
  ['storage/s3/a.ts', "export { b } from '../../api/accounts/b.ts';"],
  ['pipeline/a.ts', "const b = await import('../api/b.ts');"],
  ['api/data/a.test.ts', "import { b } from '../../pipeline/b.ts';"],
  ['api/server/a.ts', "import { b } from '../accounts/b.ts';"],
  ['api/view/a.ts', "import { b } from '../data/app.ts';"],
  ['bin/a.ts', "import { b } from '../test/b.ts';"],
  ['storage/a.ts', "import { b } from './b.contract.ts';"],
  ['storage/a.ts', "import { env } from 'node:process';"],
])('%s with «%s» is a violation', (file, text) => {
  expect(violationsIn(file, text)).toHaveLength(1);
});

test('imports point from bin/ down to schemas/, and nothing shipped imports a test', () => {
  const files = SHIPPED.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  ).filter((file) => /\.tsx?$/.test(file));
  expect(files).not.toHaveLength(0);
  expect(files.flatMap((file) => violationsIn(file, readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});

/** What a file imports: paths from the root, and names of packages. */
function importsOf(file: string): readonly string[] {
  return [...readText(file).matchAll(IMPORTED)].flatMap(([, name = '']) =>
    name.startsWith('.') ? [normalize(join(dirname(file), name))] : [name],
  );
}

/** Every file that a file needs, and every package. */
function allNeededBy(file: string, known = new Set<string>()): ReadonlySet<string> {
  for (const name of importsOf(file)) {
    if (known.has(name)) continue;
    known.add(name);
    if (/\.tsx?$/.test(name)) allNeededBy(name, known);
  }
  return known;
}

const filesOf = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.tsx?$/.test(file) && !TEST_FILE.test(file));

test.each(['api/data/access', 'api/data/answers', 'api/data/queries', 'api/data/routes', 'api/view'])(
  '%s knows no server',
  (folder) => {
    const files = filesOf(folder);
    expect(files).not.toHaveLength(0);
    const servers = (file: string) => [...allNeededBy(file)].filter((name) => /^@?fastify\b/.test(name));
    expect(files.filter((file) => servers(file).length > 0)).toEqual([]);
  },
);

test.each([
  ['two rooms', ['a/x/1.ts', 'a/y/2.ts'], ['a/y/3.ts', 'a/x/4.ts']],
  ['three rooms', ['a/x/1.ts', 'a/y/2.ts'], ['a/y/2.ts', 'a/z/3.ts'], ['a/z/4.ts', 'a/x/5.ts']],
  ['a file and a room', ['a/1.ts', 'a/x/2.ts'], ['a/x/3.ts', 'a/1.ts']],
  ['deep down', ['a/b/c/x/1.ts', 'a/b/c/y/2.ts'], ['a/b/c/y/d/3.ts', 'a/b/c/x/4.ts']],
])('a circle is found: %s', (_, ...imports) => {
  expect(findCircles(imports.map(([from = '', to = '']) => ({ from, to })))).toHaveLength(imports.length);
});

test('a room that the file beside it uses may use another file beside it', () => {
  const imports = [
    { from: 'a/1.ts', to: 'a/x/2.ts' },
    { from: 'a/x/2.ts', to: 'a/3.ts' },
  ];
  expect(findCircles(imports)).toEqual([]);
});

test('no folders need each other, at whatever depth', () => {
  const files = SHIPPED.flatMap(filesOf);
  const imports = files.flatMap((from) =>
    importsOf(from)
      .filter((to) => /\.tsx?$/.test(to))
      .map((to) => ({ from, to })),
  );
  expect(imports).not.toHaveLength(0);
  expect(findCircles(imports)).toEqual([]);
});

const LOADED = /^(?:import|export)(?! type\b) (?:[^;'()]*from )?'([^']+)';/gm;

/** What is loaded with a file: neither types nor what it imports only when it is called. */
function allLoadedWith(file: string, known = new Set<string>()): ReadonlySet<string> {
  for (const [, name = ''] of readText(file).matchAll(LOADED)) {
    const target = name.startsWith('.') ? normalize(join(dirname(file), name)) : name;
    if (known.has(target)) continue;
    known.add(target);
    if (/\.tsx?$/.test(target)) allLoadedWith(target, known);
  }
  return known;
}

test('no command waits for the libraries of another: the command line as such loads two', () => {
  const packages = [...allLoadedWith('bin/modelstats.ts')].filter((name) => !/^node:|\.ts$/.test(name));
  expect(packages.sort()).toEqual(['commander', 'zod']);
});

test('a night that fetches nothing, into a folder, loads neither the client of upstreams nor the store of others', () => {
  const packages = [...allLoadedWith('bin/commands/night/run-nights.ts')].filter((name) => !/^node:|\.ts$/.test(name));
  expect(packages).toContain('@duckdb/node-api');
  expect(packages.filter((name) => name === 'undici' || name.startsWith('@aws-sdk'))).toEqual([]);
});

/** What serves customers, and the guard; `client` is a consumer's own, and what others request the operator names. */
const GUARDED = ['runtime', 'api'];
const SENDS = /\bfrom '(?:undici|node:https|axios|got)'|(?<![\w.#])fetch\(|\bhttps?\.(?:request|get)\(/;

test.each(GUARDED)("requests to customers' addresses have one way out: %s sends none past the guard", (folder) => {
  const senders = filesOf(folder).filter((file) => SENDS.test(readText(file)));
  const isGuard = (file: string) => file.startsWith('runtime/outbound/');
  expect(senders.filter((file) => !isGuard(file))).toEqual([]);
  expect(senders.some(isGuard)).toBe(folder === 'runtime');
});

/** Folders of code that are not part of what is shipped. */
const NOT_SHIPPED = ['test', 'bench', 'fixtures'];

test('every folder of code is type-checked, and has its place in MAY_IMPORT (test/support/may-import.ts)', () => {
  const code = listFiles().filter((path) => /\.tsx?$/.test(path));
  const folders = listFolders().filter((name) => code.some((path) => path.startsWith(`${name}/`)));
  expect(folders.filter((name) => !SHIPPED.includes(name) && !NOT_SHIPPED.includes(name))).toEqual([]);
  const { include } = JSON.parse(readText('tsconfig.json'));
  expect(folders.filter((name) => !include.includes(name))).toEqual([]);
});

test('every shipped folder is compiled by the build and counted by the coverage', () => {
  const { include } = JSON.parse(readText('tsconfig.build.json'));
  expect(SHIPPED.filter((name) => !include.includes(name))).toEqual([]);
  const included = /include: \[\s*'\{([\w,]+)\}\/\*\*\/\*\.\{ts,tsx\}',?\s*\]/;
  const [, covered = ''] = included.exec(readText('vitest.config.ts')) ?? [];
  expect(SHIPPED.filter((name) => !covered.split(',').includes(name))).toEqual([]);
});
