/**
 * Clients that programs make of the served OpenAPI document, as consumers make them, compiled and used: every route, every list to
 * its end. `make test-fuzz` installs those programs.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { Documented } from '../support/api/documented.ts';
import { listen } from '../support/api/listen.ts';
import { usePublic } from '../support/site/use-public.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { ODD_ID, publishSmallDays, SMALL_DAYS } from '../worlds/small-days.ts';

const ROOT = join(import.meta.dirname, '../..');
const TOOLS = join(ROOT, '.tools/clients');
const PROGRAMS = join(import.meta.dirname, 'programs');
/** Far more than any of them needs, in milliseconds. */
const RUN_MS_MAX = 60_000;

/** The small days, and one on which two models are new. */
const api = usePublic({
  days: async (store) => {
    await publishSmallDays(store);
    const { models = [], ...others } = SMALL_DAYS['2026-06-07'] ?? {};
    const added = ['new-1', 'new-2'].map((id) => ({ id, name: id, updated_at: '2026-06-08T00:00:00Z' }));
    await store.publish('2026-06-08', { models: [...models, ...added], ...others });
  },
});
const run = promisify(execFile);
const path = useFolder();
let url: string;
let key: string;

beforeAll(async () => {
  if (!existsSync(join(TOOLS, 'installed.txt'))) throw new Error(`${TOOLS} is not whole: run "make test-fuzz"`);
  url = await listen(api.app);
  ({ key } = api.accounts.customers.commercial);
});

/** What a consumer runs, as api/guide/pages/clients.md has it, with the address of this service. */
async function runDocumented(command: string, { cwd, bin }: { readonly cwd: string; readonly bin: string }) {
  expect(await readFile(join(ROOT, 'api/guide/pages/clients.md'), 'utf8')).toContain(command);
  const [program = '', ...words] = command.replace('https://api.example.com', url).split(' ');
  return run(join(bin, program), words, { cwd, timeout: RUN_MS_MAX, env: { PATH: `${bin}:${process.env['PATH']}` } });
}

/** The program of api/guide/pages/clients.md in one language. */
async function documentedProgram(language: 'ts' | 'python'): Promise<string> {
  const documentation = await readFile(join(ROOT, 'api/guide/pages/clients.md'), 'utf8');
  const [, program] =
    new RegExp(`<!-- run with openapi-\\S+ -->\\n\`\`\`${language}\\n([\\s\\S]*?)\`\`\`\\n`).exec(documentation) ?? [];
  if (program === undefined) throw new Error(`api/guide/pages/clients.md has no program in ${language}`);
  return program;
}

/** The names of all operations below `/v1`. */
async function operationNames(): Promise<readonly string[]> {
  const { operations } = new Documented((await api.get('/openapi.json')).json(), { isClosed: false });
  return operations.filter((one) => one.path.startsWith('/v1/')).map(({ operationId }) => operationId);
}

/** What a program, run in its folder, finds. */
async function foundBy(interpreter: string, program: string, cwd: string): Promise<unknown> {
  const { stdout } = await run(interpreter, [program, url, key, ODD_ID], { cwd, timeout: RUN_MS_MAX });
  return JSON.parse(stdout);
}

describe('openapi-typescript', () => {
  const OPTIONS = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--noUnusedLocals'];
  const PROGRAMS_IN_TYPESCRIPT = ['every-route.ts', 'wrong-use.ts'];
  const MODULES = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2024,dom', '--types', 'node'];
  let project: string;

  beforeAll(async () => {
    project = path('typescript');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{"type":"module"}');
    await symlink(join(TOOLS, 'node_modules'), join(project, 'node_modules'));
    await runDocumented('openapi-typescript https://api.example.com/openapi.json --output schema.d.ts', {
      cwd: project,
      bin: join(TOOLS, 'node_modules/.bin'),
    });
    await writeFile(join(project, 'documented.ts'), await documentedProgram('ts'));
    for (const name of PROGRAMS_IN_TYPESCRIPT) await copyFile(join(PROGRAMS, name), join(project, name));
  }, RUN_MS_MAX);

  test('programs compile as strictly as can be, with every error that they expect', {
    timeout: RUN_MS_MAX,
  }, async () => {
    const roots = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--noEmit', '--allowImportingTsExtensions'];
    const words = [...OPTIONS, ...MODULES, ...roots, ...PROGRAMS_IN_TYPESCRIPT, 'documented.ts'];
    const compiled = run(join(ROOT, 'node_modules/.bin/tsc'), words, { cwd: project, timeout: RUN_MS_MAX });
    await expect(compiled.catch(({ stdout }) => ({ stdout }))).resolves.toMatchObject({ stdout: '' });
  });

  test('its client asks every route', { timeout: RUN_MS_MAX }, async () => {
    expect(await foundBy(process.execPath, 'every-route.ts', project)).toEqual(await operationNames());
  });

  test("the types of this repository's client are those of the document; make golden writes them", async () => {
    const words = ['--import', 'tsx', 'scripts/client-types.mjs', TOOLS];
    const { stdout } = await run(process.execPath, words, { cwd: ROOT, timeout: RUN_MS_MAX });
    expect(stdout).toBe(await readFile(join(ROOT, 'client/answers.ts'), 'utf8'));
  });
});

describe('openapi-python-client', () => {
  const bin = join(TOOLS, 'python/bin');
  let project: string;
  let said: string;

  beforeAll(async () => {
    project = path('python');
    await mkdir(project);
    const command =
      'openapi-python-client generate --url https://api.example.com/openapi.json --meta none --output-path modelstats_client';
    const { stdout, stderr } = await runDocumented(command, { cwd: project, bin });
    said = stdout + stderr;
    await copyFile(join(PROGRAMS, 'every_route.py'), join(project, 'every_route.py'));
    await writeFile(join(project, 'documented.py'), await documentedProgram('python'));
  }, RUN_MS_MAX);

  test('it leaves nothing out but pictures, Atom feeds and CSV', () => {
    const warnings = said.split('WARNING ').slice(1);
    const isKnown = (warning: string) =>
      /Unsupported content_type (?:image\/svg\+xml|application\/atom\+xml|text\/csv)/.test(warning);
    expect(warnings.filter((warning) => !isKnown(warning))).toEqual([]);
    expect(said).not.toContain('ERROR');
  });

  test('a program that uses its client has the types that mypy wants', { timeout: RUN_MS_MAX }, async () => {
    const words = ['--strict', '--follow-imports=silent', 'every_route.py', 'documented.py'];
    const checked = run(join(bin, 'mypy'), words, { cwd: project, timeout: RUN_MS_MAX });
    const { stdout } = await checked.catch(({ stdout: problems }) => ({ stdout: String(problems) }));
    expect(stdout).toMatch(/^Success: no issues found/);
  });

  test('its client asks every route, goes through every list to its end, and knows each shape', {
    timeout: RUN_MS_MAX,
  }, async () => {
    const lists = { listModels: 7, listBenchmarks: 2, listScores: 4, listRankings: 5, listUpdates: 2, listChanges: 31 };
    const any = Object.fromEntries((await operationNames()).map((name) => [name, expect.any(Number)]));
    expect(await foundBy(join(bin, 'python'), 'every_route.py', project)).toEqual({
      pages: { ...any, ...lists },
      events: ['Model', 'Price', 'Ranking', 'Score'].flatMap((name) => [`${name}Delete`, `${name}Upsert`]),
      model: ODD_ID,
      histories: { score: '7', ranking: '4', pricing: 'USD', metadata: 'Model a' },
      refusals: ['not_found id', 'unauthenticated None', 'query.limit less_than_equal'],
    });
  });
});
