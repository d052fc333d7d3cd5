import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newFolder } from '../../test/support/temporary-folder.ts';
import { LogWriter } from './logger.ts';

/** A log to a descriptor, with what it counted. */
function logTo(descriptor: number, { isBusy = true } = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const counted = { dropped: 0, reported: [] as number[] };
  const writer = new LogWriter(descriptor, {
    isBusy,
    onDrop: () => {
      counted.dropped += 1;
    },
    onRecovered: (lines) => counted.reported.push(lines),
  });
  // The descriptor stays open: what still waits is tried once more when the process ends, and must not get into another file.
  onTestFinished(() => void vi.useRealTimers());
  return { log: pino({ base: null, timestamp: false }, writer), counted };
}

async function start(options?: { readonly isBusy: boolean }) {
  const file = `${await newFolder()}/log`;
  const { log } = logTo(openSync(file, 'w'), options);
  return { log, lines: () => readFileSync(file, 'utf8').split('\n').slice(0, -1) };
}

/** A pipe, with the end that is read. */
async function openPipe(): Promise<{ readonly reader: number; readonly writer: number }> {
  const path = `${await newFolder()}/pipe`;
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

function readAll(reader: number): string {
  const block = Buffer.alloc(1024 * 1024);
  try {
    return block.toString('utf8', 0, readSync(reader, block));
  } catch {
    return ''; // EAGAIN: nothing waits.
  }
}

test('a line of a quiet log is written after a moment', async () => {
  const { log, lines } = await start();
  log.info('first');
  vi.advanceTimersByTime(199);
  expect(lines()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(lines()).toEqual(['{"level":30,"msg":"first"}']);
});

test('lines of a busy log are written in blocks', async () => {
  const { log, lines } = await start();
  for (let i = 0; i < 45; i += 1) log.info('x'.repeat(78)); // Of 100 bytes each: one block is full with the 41st.
  expect(lines()).toHaveLength(41);
  vi.advanceTimersByTime(200);
  expect(lines()).toHaveLength(45);
});

test('a warning is written at once, behind the lines before it', async () => {
  const { log, lines } = await start();
  log.info('between');
  log.warn('watch out');
  expect(lines()).toEqual(['{"level":30,"msg":"between"}', '{"level":40,"msg":"watch out"}']);
});

test('each line of a log of few lines is written at once', async () => {
  const { log, lines } = await start({ isBusy: false });
  log.info('first');
  expect(lines()).toEqual(['{"level":30,"msg":"first"}']);
});

test.each([true, false])(
  'on a full disk lines wait, and are dropped and counted when too much waits (busy: %s)',
  (isBusy) => {
    const { log, counted } = logTo(openSync('/dev/full', 'w'), { isBusy });
    for (let i = 0; i < 2_000; i += 1) log.info('x'.repeat(1_000 - 22)); // Of 1,000 bytes each: 1,048 are a MiB.
    vi.advanceTimersByTime(1_000);
    expect(counted).toEqual({ dropped: 952, reported: [] });
  },
);

test('once writing works again, what waited is written and the number of dropped lines reported', async () => {
  const { reader, writer } = await openPipe();
  const { log, counted } = logTo(writer);
  const lines = 3_000;
  for (let i = 0; i < lines; i += 1) log.info(String(i).padEnd(1_000));
  expect(counted.dropped).toBeGreaterThan(1_000);
  let received = '';
  for (let round = 0; round < 100 && counted.reported.length === 0; round += 1) {
    received += readAll(reader);
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(counted.reported).toEqual([counted.dropped]);
  received += readAll(reader);
  const numbers = received
    .split('\n')
    .slice(0, -1)
    .map((line) => Number(JSON.parse(line).msg));
  expect(numbers).toEqual(Array.from({ length: lines - counted.dropped }, (_, i) => i));
  closeSync(reader);
});

test('once the reader has gone away, lines are dropped, and nothing is tried again', async () => {
  const { reader, writer } = await openPipe();
  const { log, counted } = logTo(writer);
  closeSync(reader);
  log.warn('nobody reads it');
  for (let i = 0; i < 10; i += 1) log.warn('dropped');
  expect(counted.dropped).toBe(10);
  expect(vi.getTimerCount()).toBe(0);
});

async function linesOf(program: string): Promise<readonly string[]> {
  const [logWriter, pinoModule] = ['./logger.ts', 'pino'].map((name) => JSON.stringify(import.meta.resolve(name)));
  const source = `
    import { LogWriter } from ${logWriter};
    import { pino } from ${pinoModule};
    const log = pino({ base: null, timestamp: false }, new LogWriter(process.stderr.fd, { isBusy: true }));
    ${program}`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', source], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [output] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return output.split('\n').filter((line) => line.startsWith('{"level"'));
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
