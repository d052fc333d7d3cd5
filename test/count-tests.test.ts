import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
mkdirSync(join(ROOT, 'reports'), { recursive: true });
const FOLDER = mkdtempSync(join(ROOT, 'reports', 'count-')); // inside the project, so that the samples find vitest
afterAll(() => rmSync(FOLDER, { recursive: true }));

const IMPORT = "import { afterAll, beforeAll, describe, test } from 'vitest';";
const PASSES = "test('passes', () => {});";

/** Runs vitest itself over one file with this body, and counts its report. */
function count(name: string, body: string): { last: string | undefined; exit: number | null } {
  const folder = join(FOLDER, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'sample.test.ts'), `${IMPORT}\n${body}\n`);
  writeFileSync(join(folder, 'vitest.config.mjs'), "export default { test: { pool: 'forks' } };\n");
  const report = join(folder, 'report.json');
  run(['node_modules/vitest/vitest.mjs', 'run', '--root', folder, '--reporter=json', `--outputFile=${report}`]);
  return countReports(report);
}

function countReports(...reports: string[]): { last: string | undefined; exit: number | null } {
  const { stdout, status } = run(['scripts/count-tests.mjs', ...reports]);
  return { last: stdout.trimEnd().split('\n').at(-1), exit: status };
}

function run(args: string[]) {
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
}

test.each([
  [
    'passing, skipped and todo tests',
    `${PASSES} test.skip('b', () => {}); test.todo('c');`,
    '1 passed, 0 failed, 2 skipped',
    0,
  ],
  ['a failing test', `${PASSES} test('fails', () => { throw new Error('no'); });`, '1 passed, 1 failed', 1],
  ['a file that throws at import', `${PASSES} throw new Error('no');`, '0 passed, 1 failed', 1],
  ['a file without a test', '', '0 passed, 1 failed', 1],
  [
    'beforeAll throws',
    `describe('d', () => { beforeAll(() => { throw new Error('no'); }); ${PASSES} });`,
    '0 passed, 1 failed, 1 skipped',
    1,
  ],
  [
    'afterAll throws',
    `describe('d', () => { afterAll(() => { throw new Error('no'); }); ${PASSES} });`,
    '1 passed, 1 failed',
    1,
  ],
  ['a process that dies', "test('dies', () => { process.kill(process.pid, 'SIGKILL'); });", '0 passed, 1 failed', 1],
  ['nothing but skipped tests', "test.skip('b', () => {});", '0 passed, 0 failed, 1 skipped', 1],
])('%s', (name, body, last, exit) => {
  expect(count(name.replaceAll(' ', '-'), body)).toEqual({ last, exit });
});

test('a missing report is a failure, beside reports that are there', () => {
  const report = join(FOLDER, 'good.json');
  writeFileSync(
    report,
    JSON.stringify({ testResults: [{ status: 'passed', assertionResults: [{ status: 'passed' }] }] }),
  );
  expect(countReports(report)).toEqual({ last: '1 passed, 0 failed', exit: 0 });
  expect(countReports(report, join(FOLDER, 'absent.json'))).toEqual({ last: '1 passed, 1 failed', exit: 1 });
});

test('no report at all is a failure', () => {
  expect(countReports()).toEqual({ last: '0 passed, 0 failed', exit: 1 });
});
