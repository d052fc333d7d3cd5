import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
mkdirSync(join(ROOT, 'reports'), { recursive: true });
const FOLDER = mkdtempSync(join(ROOT, 'reports', 'count-')); // inside the project, so that the samples find vitest
afterAll(() => rmSync(FOLDER, { recursive: true }));

const IMPORT = "import { afterAll, beforeAll, describe, test } from 'vitest';";
const PASSES = "test('passes', () => {});";
const inGroup = (hook: string) => `describe('d', () => { ${hook} ${PASSES} });`;

/** What a test file holds, and what has to be counted for it. */
const SAMPLES = [
  ['skipped', `${PASSES} test.skip('b', () => {}); test.todo('c');`, '1 passed, 0 failed, 2 skipped', 0],
  ['only-skipped', "test.skip('b', () => {});", '0 passed, 0 failed, 1 skipped', 1],
  ['fails', `${PASSES} test('b', () => { throw new Error('no'); });`, '1 passed, 1 failed', 1],
  ['throws-at-import', `${PASSES} throw new Error('no');`, '0 passed, 1 failed', 1],
  ['is-empty', '', '0 passed, 1 failed', 1],
  ['throws-before', inGroup('beforeAll(() => { throw 1; });'), '0 passed, 1 failed, 1 skipped', 1],
  ['throws-after', inGroup('afterAll(() => { throw 1; });'), '1 passed, 1 failed', 1],
  ['dies-in-a-test', "test('b', () => { process.kill(process.pid, 'SIGKILL'); });", '0 passed, 1 failed', 1],
  ['dies-at-import', "process.kill(process.pid, 'SIGKILL');", '0 passed, 1 failed', 1],
] as const;

let results: { name: string }[];

beforeAll(() => {
  writeFileSync(join(FOLDER, 'vitest.config.mjs'), "export default { test: { pool: 'forks' } };\n");
  for (const [name, body] of SAMPLES) writeFileSync(join(FOLDER, `${name}.test.ts`), `${IMPORT}\n${body}\n`);
  const report = join(FOLDER, 'all.json');
  run(['node_modules/vitest/vitest.mjs', 'run', '--root', FOLDER, '--reporter=json', `--outputFile=${report}`]);
  results = JSON.parse(readFileSync(report, 'utf8')).testResults;
});

function countReports(...reports: string[]) {
  const { stdout, status } = run(['scripts/count-tests.mjs', ...reports]);
  return { last: stdout.trimEnd().split('\n').at(-1), exit: status };
}

function run(args: string[]) {
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
}

function reportOf(testResults: readonly unknown[]): string {
  const report = join(FOLDER, 'one.json');
  writeFileSync(report, JSON.stringify({ testResults }));
  return report;
}

test.each(SAMPLES)('a file that %s', (name, _body, last, exit) => {
  const report = reportOf(results.filter((file) => file.name.endsWith(`/${name}.test.ts`)));
  expect(countReports(report)).toEqual({ last, exit });
});

test('a missing report is a failure, beside reports that are there', () => {
  const report = reportOf([{ status: 'passed', assertionResults: [{ status: 'passed' }] }]);
  expect(countReports(report)).toEqual({ last: '1 passed, 0 failed', exit: 0 });
  expect(countReports(report, join(FOLDER, 'absent.json'))).toEqual({ last: '1 passed, 1 failed', exit: 1 });
});

test('no report at all is a failure', () => {
  expect(countReports()).toEqual({ last: '0 passed, 0 failed', exit: 1 });
});
