import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answersFrom, callCli, envOf, type Place } from '../support/processes/cli.ts';
import { Source } from '../worlds/bad-input/good-source.ts';

const YESTERDAY = '2024-03-01';

let folder: string;
let place: Place;
let catalog: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-bad-call-'));
  place = { store: join(folder, 'store'), work: join(folder, 'work') };
  await Source.create(join(folder, 'good'));
  await Source.create(join(folder, 'dated', '2099-01-01'));
  await mkdir(join(folder, 'misnamed', '2025-02-30'), { recursive: true });
  expect(await run(['--source', 'good', '--day', YESTERDAY])).toMatchObject({ code: 0 });
  catalog = await readFile(join(place.store, 'catalog.json'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return callCli(['nightly', ...args], { env: { ...envOf(place), ...env }, cwd: folder });
}

const GOOD = ['--source', 'good', '--day', '2024-03-02'];

test('a day that turns up late is left out of --all-days with a word, and the days after it are published', async () => {
  const late: Place = { store: join(folder, 'late-store'), work: join(folder, 'late-work') };
  await cp(place.store, late.store, { recursive: true });
  for (const day of ['2024-02-29', YESTERDAY, '2024-03-02']) await Source.create(join(folder, 'late', day));
  const { code, stdout, stderr } = await run(['--source', 'late', '--all-days', '--json'], envOf(late));
  const statuses = answersFrom(stdout).map(({ status }) => status);
  expect({ code, statuses }).toEqual({ code: 0, statuses: ['already_published', 'published'] });
  expect(stderr).toContain('2024-02-29: left out, it is before the newest snapshot and was never published');
});

describe.concurrent('a wrong call says what is wrong on stderr, runs nothing and ends with 2:', () => {
  test.each([
    ['no source', [], 'name the source: --source DIR or MODELSTATS_SOURCE'],
    ['an empty source', ['--source', ''], "option '--source <dir>' argument '' is invalid"],
    ['an impossible day', ['--source', 'good', '--day', '2025-02-30'], '--day 2025-02-30 is not a calendar day'],
    ['a day that is none', ['--source', 'good', '--day', 'foo'], '--day foo is not a calendar day YYYY-MM-DD'],
    ['a day in the future', ['--source', 'good', '--day', '2099-01-01'], '2099-01-01 is in the future'],
    ['a folder of the future', ['--source', 'dated', '--all-days'], '2099-01-01 is in the future'],
    ['a day before the newest', ['--source', 'good', '--day', '2024-02-29'], `before the newest snapshot ${YESTERDAY}`],
    ['--day with --all-days', [...GOOD, '--all-days'], '--all-days and --day exclude each other'],
    ['an unknown option', [...GOOD, '--acept'], "unknown option '--acept'"],
    ['a word too many', [...GOOD, 'tomorrow'], "too many arguments for 'nightly'"],
    ['a forgotten day', ['--source', 'good', '--day', '--json'], "'--day <YYYY-MM-DD>' argument '--json' is invalid"],
    ['a forgotten suspect', ['--accept-suspect', ...GOOD], "'--accept-suspect <id...>' argument '--source' is invalid"],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await run(args);
    const answer = args.includes('--json') ? expect.stringMatching(/^\{"status":"error",.*"code":"usage"/) : '';
    expect({ code, stdout }).toEqual({ code: 2, stdout: answer });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s*at /);
    expect(await readFile(join(place.store, 'catalog.json'))).toEqual(catalog);
  });

  test.each([
    [{ MODELSTATS_STOER: 'file:x' }, 'MODELSTATS_STOER is not a setting'],
    [{ MODELSTATS_THREADS: 'many' }, 'MODELSTATS_THREADS: must be a whole number from 1 to 256'],
    [{ MODELSTATS_LINE_BYTES_MAX: '4MB' }, 'MODELSTATS_LINE_BYTES_MAX: must be a whole number'],
    [{ MODELSTATS_MEMORY_LIMIT: 'lots' }, 'MODELSTATS_MEMORY_LIMIT: must be a size such as 1GB'],
    [{ MODELSTATS_STORE: '/data/store' }, "not the address of a store: '/data/store'"],
  ])('%o', async (env, message) => {
    const { code, stdout, stderr } = await run(GOOD, env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe.concurrent('a source that is not there is rejected with its path:', () => {
  test.each([
    ['no such folder', ['--source', 'nowhere', '--day', '2024-03-02'], 'nowhere'],
    ['a file', ['--source', 'good/models.jsonl', '--day', '2024-03-02'], 'models.jsonl'],
    ['no dated folders', ['--source', 'good', '--all-days'], 'good has no folders named YYYY-MM-DD'],
    ['a misnamed folder', ['--source', 'misnamed', '--all-days'], 'misnamed: 2025-02-30 is not a calendar day'],
    ['no folder of that day', ['--source', 'dated', '--day', '2024-03-02'], 'dated has no folder 2024-03-02'],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(4);
    expect(stdout + stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s*at /);
  });
});

test.each([[[]], [['nightly']]])('help for %o ends with 0', async (command) => {
  const { code, stdout, stderr } = await callCli([...command, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Usage: modelstats');
});
