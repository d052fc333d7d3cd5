/**
 * Clients that programs make of the served OpenAPI document, as consumers make them, compiled and used: every route, every list to
 * its end. `make test-fuzz` installs those programs.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Changes, ModelHistory, Models, RankingsHistory, Scores, Snapshots } from '../../client/answers.ts';
import { Documented } from '../support/api/documented.ts';
import { listen } from '../support/api/listen.ts';
import { usePublic } from '../support/site/use-public.ts';
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
let folder: string;
let url: string;
let key: string;

beforeAll(async () => {
  if (!existsSync(join(TOOLS, 'installed.txt'))) throw new Error(`${TOOLS} is not whole: run "make test-fuzz"`);
  folder = await mkdtemp(join(tmpdir(), 'modelstats-clients-'));
  url = await listen(api.app);
  ({ key } = api.accounts.customers.commercial);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a consumer runs, as api/guide/pages/clients.md has it, with the address of this service. */
async function runDocumented(command: string, { cwd, bin }: { readonly cwd: string; readonly bin: string }) {
  expect(await readFile(join(ROOT, 'api/guide/pages/clients.md'), 'utf8')).toContain(command);
  const [program = '', ...words] = command.replace('https://api.example.com', url).split(' ');
  return run(join(bin, program), words, { cwd, timeout: RUN_MS_MAX, env: { PATH: `${bin}:${process.env['PATH']}` } });
}

/** The program of api/guide/pages/clients.md in one language. */
async function documentedProgram(language: 'ts' | 'python'): Promise<string> {
  const documentation = await readFile(join(ROOT, 'api/guide/pages/clients.md'), 'utf8');
  const [, program] = new RegExp(`\\n\`\`\`${language}\\n([\\s\\S]*?)\`\`\`\\n`).exec(documentation) ?? [];
  if (program === undefined) throw new Error(`api/guide/pages/clients.md has no program in ${language}`);
  return program;
}

/** A body that the API answers the same customer; it has the type that its route has in the client of this repository. */
async function bodyOf<T>(path: string): Promise<T> {
  const answer = await api.ask(api.accounts.customers.commercial, path);
  expect(answer.statusCode, path).toBe(200);
  return answer.json();
}

/** The names of all operations below `/v1`. */
async function operationNames(): Promise<readonly string[]> {
  const { operations } = new Documented((await api.get('/openapi.json')).json(), { isClosed: false });
  return operations.filter(({ path }) => path.startsWith('/v1/')).map(({ operationId }) => operationId);
}

/** What the program in Python is to find. */
async function expected(): Promise<unknown> {
  const { models } = await bodyOf<Models>('/v1/models');
  const { scores } = await bodyOf<Scores>('/v1/scores');
  const { events } = await bodyOf<Changes>('/v1/changes');
  const { snapshots } = await bodyOf<Snapshots>('/v1/snapshots');
  const top = await bodyOf<RankingsHistory>('/v1/rankings/history?category_id=general&top=1');
  /** A point's date with some of what it and its payload hold. */
  const historyOf = async (kind: string, fields: readonly string[]) => {
    const { points } = await bodyOf<ModelHistory>(`/v1/models/a/history?kind=${kind}`);
    return points.map((point) => {
      const all: Readonly<Record<string, unknown>> = { ...point, ...point.payload };
      return [point.date, ...fields.map((field) => all[field])].join(' ');
    });
  };
  const bytes = snapshots[0]?.datasets.find(({ name }) => name === 'models')?.bytes;
  expect(new Set(events.map(({ entity_type: type, op }) => `${type} ${op}`)).size).toBe(8);
  return {
    every: await operationNames(),
    models: models.map(({ id }) => id),
    benchmarks: ['code', 'math/x'],
    scores: scores.map(({ model_id, benchmark_id, value }) => `${model_id} ${benchmark_id} ${value}`),
    rankings: ['1 Case', '2 a', '2 case', `4 ${ODD_ID}`, '5 gone'],
    updates: ['new-1 2026-06-08T23:59:59Z', 'new-2 2026-06-08T23:59:59Z'],
    categories: ['general'],
    sources: [],
    model: [2],
    histories: {
      score: await historyOf('score', ['benchmark_id', 'value', 'n']),
      ranking: await historyOf('ranking', ['category_id', 'value', 'positions']),
      pricing: await historyOf('pricing', ['provider', 'value', 'currency']),
      metadata: await historyOf('metadata', ['name', 'organization']),
    },
    top: top.points.map(({ date, model_id, value, payload }) => `${date} ${model_id} ${value} ${payload.positions}`),
    snapshots: snapshots.map(({ id }) => `${id} 5`),
    download: [bytes, bytes],
    changes: events.map(({ entity_type: type, op, key: parts, data }) => {
      const field = { model: 'name', score: 'value', ranking: 'rank', pricing: 'currency' }[type];
      return `${type} ${op} ${Object.values(parts).join(' ')}: ${data === null ? null : Object(data)[field]}`;
    }),
    account: ['commercial', 'api_key'],
    ready: '2026-06-08',
    live: 'live',
    refusals: ['not_found id', 'unauthenticated null', 'query.limit less_than_equal'],
  };
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
    project = join(folder, 'typescript');
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
    project = join(folder, 'python');
    await mkdir(project);
    const command =
      'openapi-python-client generate --url https://api.example.com/openapi.json --meta none --output-path modelstats_client';
    const { stdout, stderr } = await runDocumented(command, { cwd: project, bin });
    said = stdout + stderr;
    await copyFile(join(PROGRAMS, 'every_route.py'), join(project, 'every_route.py'));
    await writeFile(join(project, 'documented.py'), await documentedProgram('python'));
  }, RUN_MS_MAX);

  test('it leaves nothing out but pictures and Atom feeds', () => {
    const warnings = said.split('WARNING ').slice(1);
    const isKnown = (warning: string) => /Unsupported content_type (?:image\/svg|application\/atom)\+xml/.test(warning);
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
    expect(await foundBy(join(bin, 'python'), 'every_route.py', project)).toEqual(await expected());
  });
});
