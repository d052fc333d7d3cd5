import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AppError } from '../../runtime/errors.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { retryWhenRaced } from './concurrency.ts';
import { Run, type RunEnd } from './run.ts';

const NOW = new Date('2026-11-20T03:00:00Z');
const DUCKDB = { memoryLimit: '100MB', threads: 1 };

const work = useFolder({ perTest: true });

function openRun(onStage: (stage: 'one' | 'two') => void = () => {}) {
  const deps = { workFolder: work(), clock: () => NOW, newRunId: () => '01A', onStage };
  return Run.open({ day: '2026-11-20', startedAt: NOW }, deps);
}

/** A report that tells how a run ended, with one issue. */
function report(end: RunEnd<{ readonly warnings: readonly string[] }>) {
  const outcome = end.result === undefined ? String(end.error) : 'ok';
  return { status: outcome === 'ok' ? 'done' : 'failed', facts: { outcome }, issues: [{ line: 7 }] };
}

test('a run keeps its report and its issues and nothing else, and passes its result on', async () => {
  const run = await openRun();
  const database = await run.openDatabase(DUCKDB);
  await run.stage('one', () => database.run('CREATE TABLE held AS SELECT 1'));
  run.warn(['half full']);
  expect(await run.finish(async () => ({ warnings: ['w'], more: 1 }), report)).toEqual({ warnings: ['w'], more: 1 });
  const folder = work('runs', '2026-11-20.01A');
  expect((await readdir(folder)).sort()).toEqual(['issues.jsonl', 'report.json']);
  const at = '2026-11-20T03:00:00.000Z';
  expect(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))).toEqual({
    status: 'done',
    run: '01A',
    started_at: at,
    finished_at: at,
    error: null,
    outcome: 'ok',
    warnings: ['half full'],
    stages: [{ stage: 'one', ms: expect.any(Number) }],
  });
  expect(await readFile(run.issuesPath, 'utf8')).toBe('{"line":7}\n');
});

test('a run that fails is reported all the same, and its error thrown', async () => {
  const run = await openRun();
  await expect(run.finish(() => Promise.reject(new Error('a defect')), report)).rejects.toThrow('a defect');
  expect(await readFile(join(run.folder.path, 'report.json'), 'utf8')).toContain('Error: a defect');
  expect((await readdir(run.folder.path)).sort()).toEqual(['issues.jsonl', 'report.json']);
});

test('a disk that fails is told as such, with the work folder', async () => {
  const run = await openRun();
  const failing = () => Promise.reject(new Error('ENOSPC: no space left on device, write'));
  await expect(run.finish(failing, report)).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining(work()),
  });
});

test('a report that cannot be written is a warning: what was done is done', async () => {
  const run = await openRun();
  const result = run.finish(async () => {
    await rm(run.folder.path, { recursive: true });
    return { warnings: ['w'] };
  }, report);
  expect(await result).toEqual({ warnings: ['w', expect.stringMatching(/report can't be written: ENOENT/)] });
});

test('stages are announced as they begin and kept as they end, failed ones too', async () => {
  const begun: string[] = [];
  const run = await openRun((stage) => begun.push(stage));
  expect(await run.stage('one', async () => 1)).toBe(1);
  await expect(run.stage('two', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(begun).toEqual(['one', 'two']);
  expect(run.stages).toEqual(begun.map((stage) => ({ stage, ms: expect.any(Number) })));
});

test.each([
  ['precondition_failed', 5, 'other processes changed the store 5 times meanwhile; run this again'],
  ['store_unavailable', 1, 'lost'],
] as const)('work that always ends in %s is tried %i times', async (code, times, message) => {
  const attempts: number[] = [];
  const lost = retryWhenRaced(async (attempt) => {
    attempts.push(attempt);
    throw new AppError(code, 'lost');
  });
  await expect(lost).rejects.toMatchObject({ code, message });
  expect(attempts).toHaveLength(times);
});
