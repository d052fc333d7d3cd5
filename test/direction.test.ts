import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles, listFolders, ROOT } from './support/documents/text-files.ts';
import { MAY_IMPORT, roomOf, SHIPPED } from './support/may-import.ts';

const isSource = (name: string) => /\.tsx?$/.test(name);
/** What lies in the folders that are shipped, tests too. */
const SOURCES = SHIPPED.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
).filter(isSource);
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
  ['api/data/a.test.ts', "import { b } from '../../pipeline/b.ts';"],
  ['api/view/a.ts', "import { b } from '../data/app.ts';"],
  ['bin/a.ts', "import { b } from '../test/b.ts';"],
  ['storage/a.ts', "import { b } from './b.contract.ts';"],
  ['storage/a.ts', "import { env } from 'node:process';"],
])('%s with «%s» is a violation', (file, text) => {
  expect(violationsIn(file, text)).toHaveLength(1);
});

test('imports point from bin/ down to schemas/, and nothing shipped imports a test', () => {
  expect(SOURCES).not.toHaveLength(0);
  expect(SOURCES.flatMap((file) => violationsIn(file, readText(file)))).toEqual([]);
});

/** What a file imports: paths from the root, and names of packages. */
function importsOf(file: string): readonly string[] {
  return [...readText(file).matchAll(IMPORTED)].flatMap(([, name = '']) =>
    name.startsWith('.') ? [normalize(join(dirname(file), name))] : [name],
  );
}

/** What is reached from something, in as many steps as it takes. */
function reachedFrom(start: string, nextOf: (name: string) => Iterable<string>): ReadonlySet<string> {
  const reached = new Set<string>();
  const walk = (name: string) => {
    for (const next of nextOf(name)) {
      if (reached.has(next)) continue;
      reached.add(next);
      walk(next);
    }
  };
  walk(start);
  return reached;
}

const filesOf = (folder: string): readonly string[] =>
  SOURCES.filter((file) => file.startsWith(`${folder}/`) && !TEST_FILE.test(file));

test.each(['api/data/access', 'api/data/responses', 'api/data/queries', 'api/data/routes', 'api/view'])(
  '%s knows no server',
  (folder) => {
    const files = filesOf(folder);
    expect(files).not.toHaveLength(0);
    const neededBy = (file: string) => reachedFrom(file, (name) => (isSource(name) ? importsOf(name) : []));
    expect(files.filter((file) => [...neededBy(file)].some((name) => /^@?fastify\b/.test(name)))).toEqual([]);
  },
);

interface Import {
  readonly from: string;
  readonly to: string;
}

/**
 * The circles between what lies side by side, in folders of any depth: two rooms of one folder that need each other, over however
 * many others, or a file and a room. Each is told as the imports that are part of it.
 */
function findCircles(imports: readonly Import[]): readonly string[] {
  const neighbours = imports.map(neighboursOf).filter((pair) => pair !== undefined);
  const needed = new Map<string, Set<string>>();
  for (const { from, to } of neighbours) needed.set(from, (needed.get(from) ?? new Set()).add(to));
  const reached = new Map(
    [...needed.keys()].map((name) => [name, reachedFrom(name, (next) => needed.get(next) ?? [])]),
  );
  return neighbours.filter(({ from, to }) => reached.get(to)?.has(from)).map(({ told }) => told);
}

/** What of the two lies side by side in the deepest folder that holds both; undefined where that is one and the same. */
function neighboursOf({ from, to }: Import) {
  const [one, other] = [from.split('/'), to.split('/')];
  const depth = one.findIndex((part, i) => part !== other[i]);
  if (depth === -1) return undefined;
  const at = (parts: readonly string[]) => parts.slice(0, depth + 1).join('/');
  return { from: at(one), to: at(other), told: `${from} imports ${to}` };
}

test.each([
  ['three rooms', ['a/x/1.ts', 'a/y/2.ts'], ['a/y/2.ts', 'a/z/3.ts'], ['a/z/4.ts', 'a/x/5.ts']],
  ['a file and a room', ['a/1.ts', 'a/x/2.ts'], ['a/x/3.ts', 'a/1.ts']],
  ['deep down', ['a/b/c/x/1.ts', 'a/b/c/y/2.ts'], ['a/b/c/y/d/3.ts', 'a/b/c/x/4.ts']],
])('a circle is found: %s', (_, ...imports) => {
  expect(findCircles(imports.map(([from = '', to = '']) => ({ from, to })))).toHaveLength(imports.length);
});

test('no folders need each other, at whatever depth', () => {
  const files = SHIPPED.flatMap(filesOf);
  const imports = files.flatMap((from) =>
    importsOf(from)
      .filter(isSource)
      .map((to) => ({ from, to })),
  );
  expect(imports).not.toHaveLength(0);
  expect(findCircles(imports)).toEqual([]);
});

const LOADED = /^(?:import|export)(?! type\b) (?:[^;'()]*from )?'([^']+)';/gm;

/** The packages that are loaded with a file: neither for types nor for what it imports only when it is called. */
function packagesLoadedWith(file: string): readonly string[] {
  const loaded = (name: string) =>
    [...(isSource(name) ? readText(name) : '').matchAll(LOADED)].map(([, to = '']) =>
      to.startsWith('.') ? normalize(join(dirname(name), to)) : to,
    );
  return [...reachedFrom(file, loaded)].filter((name) => !/^node:|\.ts$/.test(name));
}

test('no command waits for the libraries of another: the command line as such loads two', () => {
  expect(packagesLoadedWith('bin/modelstats.ts').toSorted()).toEqual(['commander', 'zod']);
});

test('a night that fetches nothing, into a folder, loads neither the client of upstreams nor the store of others', () => {
  // Two of them it imports only when it runs, but whatever the night.
  const files = ['bin/commands/night/run-nights.ts', 'bin/config/config.ts', 'storage/open-store.ts'];
  const packages = files.flatMap(packagesLoadedWith);
  expect(packages).toEqual(expect.arrayContaining(['p-limit', 'zod', 'better-sqlite3']));
  expect(packages.filter((name) => /^(?:@aws-sdk|@?fastify|kysely|undici)\b/.test(name))).toEqual([]);
});

/** Imported when a process first needs them: at least a megabyte each. */
const LOADED_ON_USE = [
  '@duckdb/node-api',
  '@duckdb/node-bindings',
  '@modelcontextprotocol/server',
  '@scalar/fastify-api-reference',
  'badge-maker',
  'd3-array',
  'd3-scale',
  'feedsmith',
  'highlight.js/lib/core',
  'marked',
  'minisearch',
  'tldts',
  'undici',
  'yaml',
];

test('a process that serves loads its packages for rare requests, and DuckDB, with the first use', () => {
  // All but the first it imports only when it runs, but always.
  const files = [
    'bin/commands/serve/run-serve.ts',
    'bin/config/config.ts',
    'api/accounts/open-accounts.ts',
    'api/database/open-database.ts',
    'storage/open-store.ts',
  ];
  const packages = files.flatMap(packagesLoadedWith);
  expect(packages).toEqual(expect.arrayContaining(['better-sqlite3', 'fastify', 'kysely']));
  expect(packages.filter((name) => LOADED_ON_USE.includes(name) || name.startsWith('@aws-sdk/'))).toEqual([]);
});

test('each package that is loaded with its first use is one that shipped code imports', () => {
  const imported = new Set(SHIPPED.flatMap(filesOf).flatMap(importsOf));
  expect(LOADED_ON_USE.filter((name) => !imported.has(name))).toEqual([]);
});

/** What serves customers, and the guard; `client` is a consumer's own, and what others request the operator names. */
const GUARDED = ['runtime', 'api'];
const SENDS = /\b(?:from |import\()'(?:undici|node:https|axios|got)'|(?<![\w.#])fetch\(|\bhttps?\.(?:request|get)\(/;

test.each(GUARDED)("requests to customers' addresses have one way out: %s sends none past the guard", (folder) => {
  const senders = filesOf(folder).filter((file) => SENDS.test(readText(file)));
  const isGuard = (file: string) => file.startsWith('runtime/outbound/');
  expect(senders.filter((file) => !isGuard(file))).toEqual([]);
  expect(senders.some(isGuard)).toBe(folder === 'runtime');
});

/** Folders of code that are not part of what is shipped. */
const NOT_SHIPPED = ['test', 'bench', 'fixtures'];

test('every folder of code is type-checked, and has its place in MAY_IMPORT (test/support/may-import.ts)', () => {
  const code = listFiles().filter(isSource);
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
