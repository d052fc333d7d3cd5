/** The real commands whose log can't be written: they do their work, obey signals, and end soon with the right exit code. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { fetchOnce } from '../support/api/listen.ts';
import { openSampleStore } from '../support/pipeline/sample-store.ts';
import { fixtureSource, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { COMMAND } from '../support/processes/cli.ts';
import { temporarySqlite } from '../support/processes/serve-sample.ts';
import { freePort } from '../support/processes/servers.ts';
import { describeOnSmallDisk } from '../support/processes/small-disk.ts';
import { newFolder, useFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 120_000 });
/** What a busy machine may take for anything. */
const MS_MAX = 100_000;
const REQUESTS = 100;
/** More lines than may wait until there is room. */
const DROPPED_MIN = 100;

const path = useFolder();
let pipes = 0;
let store: TemporaryStore;
beforeAll(async () => {
  store = await openSampleStore();
});
afterAll(() => store.dispose());

/** A command whose stdout and stderr are given, with folders and ports of its own. */
async function start(args: readonly string[], output: Output, settings: Readonly<Record<string, string>> = {}) {
  const folder = await newFolder();
  const [port, metricsPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: {
      PATH: process.env['PATH'],
      NO_COLOR: '1',
      MODELSTATS_STORE: `file:${store.folder}`,
      MODELSTATS_DATABASE: await temporarySqlite(),
      MODELSTATS_VIEW: join(folder, 'view'),
      MODELSTATS_WORK: join(folder, 'work'),
      MODELSTATS_PORT: String(port),
      MODELSTATS_METRICS_PORT: String(metricsPort),
      ...settings,
    },
    stdio: ['ignore', output.stdout, output.stderr],
  });
  output.close();
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return { child, folder, url: `http://127.0.0.1:${port}`, metrics: () => metricsAt(metricsPort) };
}

/** The descriptors of a command's outputs, or what spawn makes of a word. */
interface Output {
  readonly stdout: number | 'ignore';
  readonly stderr: number;
  readonly close: () => void;
}

function onFullDevice(): Output {
  const stderr = openSync('/dev/full', 'w');
  return { stdout: 'ignore', stderr, close: () => closeSync(stderr) };
}

/** Both outputs, into a pipe whose reader goes away. */
function intoClosedPipe(): Output {
  pipes += 1;
  const pipe = path(`pipe-${pipes}`);
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, 'w');
  const close = () => {
    closeSync(reader);
    closeSync(writer);
  };
  return { stdout: writer, stderr: writer, close };
}

async function metricsAt(port: number): Promise<string> {
  const { status, body } = await fetchOnce(`http://127.0.0.1:${port}/metrics`, '');
  expect(status).toBe(200);
  return body;
}

async function droppedLines(metrics: () => Promise<string>): Promise<number> {
  return Number(/^modelstats_log_lines_dropped_total (\d+)$/m.exec(await metrics())?.[1]);
}

async function end(child: ChildProcess, signal?: NodeJS.Signals): Promise<number | string | null> {
  if (signal !== undefined) child.kill(signal);
  const code = () => child.exitCode ?? child.signalCode;
  await eventually(() => expect(code()).not.toBeNull());
  return code();
}

function eventually(check: () => Promise<void> | void): Promise<void> {
  return vi.waitFor(check, { timeout: MS_MAX, interval: 100 });
}

function testCommands(open: () => Output): void {
  test('serve answers, and stops at SIGTERM with 0', async () => {
    const { child, url, metrics } = await start(['serve', '--json'], open());
    await eventually(async () => expect((await fetchOnce(`${url}/health/ready`, '')).status).toBe(200));
    for (let request = 0; request < REQUESTS; request += 1)
      expect((await fetchOnce(`${url}/health/live`, '')).status).toBe(200);
    expect(await droppedLines(metrics)).toBeGreaterThanOrEqual(0);
    expect(await end(child, 'SIGTERM')).toBe(0);
  });

  test('dispatch runs, and stops at SIGTERM with 0', async () => {
    const { child, metrics } = await start(['dispatch', '--json'], open());
    await eventually(async () => expect(await droppedLines(metrics)).toBeGreaterThanOrEqual(0));
    expect(await end(child, 'SIGTERM')).toBe(0);
  });

  test('schedule publishes the night, and stops at SIGTERM with 0', async () => {
    const { child, folder, metrics } = await startWithStore(['schedule', '--json'], open());
    await eventually(() => expect(existsSync(join(folder, 'store', 'catalog.json'))).toBe(true));
    expect(await droppedLines(metrics)).toBeGreaterThanOrEqual(0);
    expect(await end(child, 'SIGTERM')).toBe(0);
  });

  test('nightly publishes, and ends with 0', async () => {
    const { child, folder } = await startWithStore(['nightly', '--day', '2026-06-01'], open());
    expect(await end(child)).toBe(0);
    expect(existsSync(join(folder, 'store', 'catalog.json'))).toBe(true);
  });
}

describe.each([
  ['on a full device', onFullDevice],
  ['into a pipe that nobody reads any more', intoClosedPipe],
])('with a log %s', (_, open) => testCommands(open));

test('an exit code that says more stays when the problem itself can not be written', async () => {
  const { child } = await start(['nightly'], onFullDevice());
  expect(await end(child)).toBe(2);
});

test('a lost answer is exit code 1', async () => {
  const { stderr, close } = onFullDevice();
  const { child } = await start(['status', '--json'], { stdout: stderr, stderr, close });
  expect(await end(child)).toBe(1);
});

/** A command that publishes a sample day, also as today's, into a store of its own. */
async function startWithStore(args: readonly string[], output: Output) {
  const folder = await newFolder();
  const settings = {
    MODELSTATS_STORE: `file:${join(folder, 'store')}`,
    MODELSTATS_SOURCE: fixtureSource('days/2026-06-01'),
    MODELSTATS_CRON: '0 0 * * *',
    MODELSTATS_RETRY_UNTIL: '24:00',
  };
  return { ...(await start(args, output, settings)), folder };
}

describeOnSmallDisk('a log on a disk that is full', '2m', (disk) => {
  test('answers go on, lines are dropped and counted, and the log reports them when there is room', {
    timeout: 180_000,
  }, async () => {
    const log = join(disk.path, 'serve.log');
    const stderr = openSync(log, 'a');
    const output = { stdout: 'ignore', stderr, close: () => closeSync(stderr) } as const;
    const { child, url, metrics } = await start(['serve'], output);
    const ask = () => fetchOnce(`${url}/health/live`, '');
    await eventually(async () => expect((await ask()).status).toBe(200));

    await disk.fill();
    while ((await droppedLines(metrics)) < DROPPED_MIN) {
      const answers = await Promise.all(Array.from({ length: REQUESTS }, ask));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }
    await disk.makeRoom();
    // Beside what `serve` says to people, and a line that was cut where the disk was full.
    const lines = () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'));
    const reports = () =>
      lines()
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => /log lines were dropped/.test(msg));
    await eventually(() => expect(reports()).toHaveLength(1));
    expect(reports()).toMatchObject([{ level: 'warn', lines: await droppedLines(metrics) }]);
    expect((await ask()).status).toBe(200);
    await disk.fill();
    expect((await ask()).status).toBe(200);
    expect(await end(child, 'SIGTERM')).toBe(0);
    await disk.makeRoom();
  });
});
