import { expect, test } from 'vitest';
import { RELEASE_FACTS } from '../../../test/support/schedule/release-facts.ts';
import { type NightProcessOptions, readNewestByProcess, runNightProcess } from './tool-process.ts';

const NEVER = new AbortController().signal;

/** A look by a process that runs this script in place of this tool. */
const look = (script: string, { stop = NEVER, timeoutMs = 20_000 } = {}) =>
  readNewestByProcess(stop, { command: [process.execPath, '-e', `${script}//`], timeoutMs });
const answering = (newest: unknown) => `console.log(${JSON.stringify(JSON.stringify({ store: 'file:/x', newest }))});`;

test('what the newest release tells is read by `status --json`, and nothing of a store without one', async () => {
  expect(await look(answering({ ...RELEASE_FACTS, run: '01A', more: 1 }))).toEqual(RELEASE_FACTS);
  expect(await look(answering(null))).toBeUndefined();
});

test('a store that can not be read is told with what the process says', async () => {
  await expect(look("console.error('modelstats: the store is down'); process.exitCode = 1;")).rejects.toThrow(
    'the store is down',
  );
  await expect(look('process.exitCode = 1;')).rejects.toThrow('status ended with exit code 1 and without a result');
  await expect(look("console.log('{}');")).rejects.toThrow('status ended with exit code 0 and without a result');
});

test('a look that hangs ends with its time, or at once with a stop', async () => {
  const hang = 'setTimeout(() => {}, 60_000);';
  await expect(look(hang, { timeoutMs: 300 })).rejects.toThrow('was not read within 0.3 s');
  const stop = new AbortController();
  const looking = look(hang, { stop: stop.signal });
  stop.abort();
  await expect(looking).rejects.toThrow('aborted');
});

const RESPONSE = {
  status: 'held',
  snapshot_id: null,
  events: null,
  first_seq: null,
  last_seq: null,
  next_command: null,
  report: null,
  quarantined: 0,
  suspects_pending: 0,
  problems: ['half is gone'],
  warnings: [],
};

function run(program: string, { abandon = new AbortController().signal, timeoutMs = 60_000 } = {}) {
  const answers: string[] = [];
  const options: NightProcessOptions = {
    command: [process.execPath, '-e', program],
    source: '/source',
    timeoutMs,
    onResponse: (line) => answers.push(line),
  };
  return runNightProcess('2026-11-20', abandon, options).then((end) => ({ end, answers }));
}

test('a night is called with its source and day, and answers with its result', async () => {
  const line = JSON.stringify(RESPONSE);
  const { end, answers } = await run(`console.log(process.argv.length > 5 ? '${line}' : ''); process.exitCode = 3`);
  expect(end).toEqual(RESPONSE);
  expect(answers).toEqual([line]);
});

test('what a night without an answer complained of is the reason of its failure', async () => {
  const { end } = await run(`console.error('modelstats: the store is down'); process.exitCode = 1`);
  expect(end).toEqual({ status: 'failed', problems: ['modelstats: the store is down'] });
});

test.each([
  ['dies', 'process.kill(process.pid, "SIGKILL")', /SIGKILL and without a result/],
  ['says nothing', '', /exit code 0 and without a result/],
  ['says something else', 'console.log("{}")', /exit code 0 and without a result/],
  ['fails after its answer', `console.log('${JSON.stringify(RESPONSE)}'); process.exitCode = 1`, /exit code 1/],
])('a night that %s has failed', async (_, program, problem) => {
  const { end, answers } = await run(program);
  expect(end).toEqual({ status: 'failed', problems: [expect.stringMatching(problem)] });
  expect(answers).toEqual([]);
});

test('of endless complaints the end is kept', async () => {
  const { end } = await run(`process.stderr.write('x'.repeat(1e6) + ' the end'); process.exitCode = 1`);
  expect(end.problems[0]?.length).toBeLessThanOrEqual(4096);
  expect(end.problems[0]).toMatch(/ the end$/);
});

test('a night that takes too long, or is abandoned, is killed at once', async () => {
  const endless = 'setInterval(() => {}, 1000)';
  expect((await run(endless, { timeoutMs: 50 })).end.problems).toEqual(['killed: it took longer than 0.05 s']);
  const abandoned = await run(endless, { abandon: AbortSignal.abort() });
  expect(abandoned.end.problems).toEqual(['abandoned: the scheduler was stopped']);
});
