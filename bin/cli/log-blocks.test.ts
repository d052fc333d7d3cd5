import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LogBlocks } from './log-blocks.ts';

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-log-'));
  const file = join(folder, 'log');
  const descriptor = openSync(file, 'w');
  onTestFinished(async () => {
    vi.useRealTimers();
    // The descriptor stays open: when all lines are there, the end of their flush may still be under way, which writes nothing more.
    await rm(folder, { recursive: true, force: true });
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const lines = async () => (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const bytes = async () => (await stat(file)).size;
  return { log: pino({ base: null, timestamp: false }, new LogBlocks(descriptor)), lines, bytes };
}

/** Everything that has begun to be written is written. */
async function written<T>(value: () => Promise<T>, expected: T): Promise<void> {
  await vi.waitFor(async () => expect(await value()).toEqual(expected));
}

test('a line of a quiet log is written after a moment', async () => {
  const { log, lines, bytes } = await start();
  log.info('first');
  await vi.advanceTimersByTimeAsync(199);
  expect(await bytes()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  await written(lines, ['{"level":30,"msg":"first"}']);
});

test('lines of a busy log are written in blocks', async () => {
  const { log, bytes } = await start();
  for (let i = 0; i < 45; i += 1) log.info('x'.repeat(78)); // Of 100 bytes each: one block is full with the 41st.
  await written(bytes, 4100);
  await vi.advanceTimersByTimeAsync(200);
  await written(bytes, 4500);
});

test('a warning is written at once, behind the lines before it, also while a block is being written', async () => {
  const { log, lines } = await start();
  log.info('x'.repeat(5000));
  log.info('between');
  log.warn('watch out');
  await written(
    async () => (await lines()).slice(1),
    ['{"level":30,"msg":"between"}', '{"level":40,"msg":"watch out"}'],
  );
});

/** Runs a program that writes lines to its stderr as `log`, to its end. */
async function linesOf(program: string): Promise<readonly string[]> {
  const [logBlocks, pinoModule] = ['./log-blocks.ts', 'pino'].map((name) => JSON.stringify(import.meta.resolve(name)));
  const source = `
    import { LogBlocks } from ${logBlocks};
    import { pino } from ${pinoModule};
    const log = pino({ base: null, timestamp: false }, new LogBlocks(2));
    ${program}`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', source], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [told] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return told.split('\n').filter((line) => line.startsWith('{"level"'));
}

const MANY = 'for (let i = 0; i < 1000; i += 1) log.info(String(i));';

test.each([
  ['ends by itself', MANY],
  ['calls process.exit', `${MANY} setTimeout(() => { log.info('last'); process.exit(3); }, 50);`],
  ['dies of an error', `${MANY} setTimeout(() => { log.info('last'); throw new Error('nobody catches it'); }, 50);`],
  [
    'stops at a signal',
    `${MANY} process.once('SIGTERM', () => log.info('last')); process.kill(process.pid, 'SIGTERM');`,
  ],
])('nothing is lost of a process that %s', async (_, program) => {
  const lines = await linesOf(program);
  expect(lines.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, (__, i) => `{"level":30,"msg":"${i}"}`));
  expect(lines.slice(1000)).toEqual(program === MANY ? [] : ['{"level":30,"msg":"last"}']);
});
