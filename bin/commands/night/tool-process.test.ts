import { expect, test } from 'vitest';
import { RELEASE_FACTS } from '../../../test/support/schedule/release-facts.ts';
import { readNewestByProcess } from './tool-process.ts';

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
  await expect(look('process.exitCode = 1;')).rejects.toThrow('status ended with exit code 1 and no answer');
  await expect(look("console.log('{}');")).rejects.toThrow('status ended with exit code 0 and no answer');
});

test('a look that hangs ends with its time, or at once with a stop', async () => {
  const hang = 'setTimeout(() => {}, 60_000);';
  await expect(look(hang, { timeoutMs: 300 })).rejects.toThrow('was not read within 0.3 s');
  const stop = new AbortController();
  const looking = look(hang, { stop: stop.signal });
  stop.abort();
  await expect(looking).rejects.toThrow('aborted');
});
