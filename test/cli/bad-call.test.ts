import { cp, mkdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { callCli, envOf, type Place, responsesFrom } from '../support/processes/cli.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { Source } from '../worlds/bad-input/good-source.ts';

const YESTERDAY = '2024-03-01';

const path = useFolder();
const place = (name = 'yesterday'): Place => ({ store: path(name, 'store'), work: path(name, 'work') });
const readCatalog = () => readFile(path('yesterday', 'store', 'catalog.json'));
let catalog: Buffer;

beforeAll(async () => {
  await Source.create(path('good'));
  await Source.create(path('dated', '2099-01-01'));
  await mkdir(path('misnamed', '2025-02-30'), { recursive: true });
  expect(await run(['--source', 'good', '--day', YESTERDAY])).toMatchObject({ code: 0 });
  catalog = await readCatalog();
});

function run(args: readonly string[], where = place()) {
  return callCli(['nightly', ...args], { env: envOf(where), cwd: path() });
}

const GOOD = ['--source', 'good', '--day', '2024-03-02'];

test('a day that turns up late is left out of --all-days with a word, and the days after it are published', async () => {
  await cp(place().store, place('later').store, { recursive: true });
  for (const day of ['2024-02-29', YESTERDAY, '2024-03-02']) await Source.create(path('late', day));
  const { code, stdout, stderr } = await run(['--source', 'late', '--all-days', '--json'], place('later'));
  const statuses = responsesFrom(stdout).map(({ status }) => status);
  expect({ code, statuses }).toEqual({ code: 0, statuses: ['already_published', 'published'] });
  expect(stderr).toContain('2024-02-29: skipped, because it is before the newest snapshot and was never published');
});

describe.concurrent('a wrong call says what is wrong on stderr, runs nothing and ends with 2:', () => {
  test.each([
    ['no source', [], 'set the source: --source DIR or MODELSTATS_SOURCE'],
    ['an empty source', ['--source', ''], "option '--source <dir>' argument '' is invalid"],
    ['an impossible day', ['--source', 'good', '--day', '2025-02-30'], '--day 2025-02-30 is not a calendar day'],
    ['a day that is none', ['--source', 'good', '--day', 'foo'], '--day foo is not a calendar day YYYY-MM-DD'],
    ['a day in the future', ['--source', 'good', '--day', '2099-01-01'], '2099-01-01 is in the future'],
    ['a folder of the future', ['--source', 'dated', '--all-days'], '2099-01-01 is in the future'],
    ['a day before the newest', ['--source', 'good', '--day', '2024-02-29'], `before the newest snapshot ${YESTERDAY}`],
    ['--day with --all-days', [...GOOD, '--all-days'], '--all-days and --day exclude each other'],
    ['an unknown option', [...GOOD, '--acept'], "unknown option '--acept'"],
    ['a forgotten day', ['--source', 'good', '--day', '--json'], "'--day <YYYY-MM-DD>' argument '--json' is invalid"],
    ['a forgotten suspect', ['--accept-suspect', ...GOOD], "'--accept-suspect <id...>' argument '--source' is invalid"],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await run(args);
    const response = args.includes('--json') ? expect.stringMatching(/^\{"status":"error",.*"code":"usage"/) : '';
    expect({ code, stdout }).toEqual({ code: 2, stdout: response });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s*at /);
    expect(await readCatalog()).toEqual(catalog);
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
