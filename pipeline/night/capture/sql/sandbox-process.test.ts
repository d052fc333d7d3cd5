import { describe, expect, test } from 'vitest';
import { childrenOf, isRunning } from '../../../../test/support/processes/children.ts';
import { useFolder } from '../../../../test/support/temporary-folder.ts';
import type { Section } from './messages.ts';
import { bytesFromSize, memoryOfProcess, SandboxProcess } from './sandbox-process.ts';

const ENDLESS = `SELECT levenshtein(repeat('a', 300000), repeat('b', 300000)) AS x`;
/** Grows by about a megabyte a row, outside of what DuckDB counts. */
const LARGE = `SELECT repeat(repeat('x', 1000000), 4000) AS x`;

const folder = useFolder({ perTest: true });

const section = (sql: string): Section => ({ path: 'source.sql', dataset: 'models', line: 1, sql });

/** Runs SELECTs in one process, each with a file of its own. */
async function open({ timeoutMs = 30_000, memoryLimit = '100MB', rowsMax = 100, bytesMax = 1 << 30 } = {}) {
  const settings = { memoryLimit, threads: 1, spillFolder: folder('spill'), spillBytesMax: 1 << 20 };
  const process = await SandboxProcess.open({ ...settings, folders: [folder()], timeoutMs, folder: folder() });
  let files = 0;
  const run = (sql: string) => {
    files += 1;
    return process.run(section(sql), { path: folder(`${files}.duckdb`), rowsMax, bytesMax });
  };
  return { run, close: () => process.close() };
}

test('SELECTs run one after the other, and tell their columns', async () => {
  const { run, close } = await open();
  expect(await run('SELECT 1 AS a, [2.5] AS b')).toEqual({ names: ['a', 'b'], types: ['INTEGER', 'DECIMAL(2,1)[]'] });
  expect(await run(`SELECT * FROM read_csv('raw/none*.csv')`)).toEqual({ missing: 'raw/none*.csv' });
  expect(await run('SELECT 3 AS c')).toEqual({ names: ['c'], types: ['INTEGER'] });
  await close();
});

test('a call without end is killed when its time is over, and names what sets the time', async () => {
  const { run, close } = await open({ timeoutMs: 300 });
  await expect(run(ENDLESS)).rejects.toMatchObject({
    code: 'source_rejected',
    message:
      'source.sql line 1 (models): takes longer than 0.3 seconds ' +
      '(MODELSTATS_SOURCE_SQL_TIMEOUT_SECONDS, sql_timeout_seconds)',
  });
  await close();
});

test.each([
  [{ rowsMax: 10 }, 'SELECT * FROM range(11)', 'gives more than 10 rows'],
  [
    { rowsMax: 1e9, bytesMax: 5e6 },
    `SELECT repeat('x', 100) || i AS x FROM range(1000000) t(i)`,
    'gives more than 5000000 bytes',
  ],
])('rows past %j end the SELECT', async (limits, sql, problem) => {
  const { run, close } = await open(limits);
  await expect(run(sql)).rejects.toMatchObject({ message: `source.sql line 1 (models): ${problem}` });
  await close();
});

describe.skipIf(process.platform !== 'linux')('on Linux', () => {
  test('a value larger than the memory is killed while it is made', async () => {
    const { run, close } = await open();
    const before = memoryOfProcess(process.pid) ?? 0;
    await expect(run(LARGE)).rejects.toMatchObject({
      code: 'source_rejected',
      message: 'source.sql line 1 (models): takes more memory than 100MB (MODELSTATS_MEMORY_LIMIT) plus 1 GiB',
    });
    expect((memoryOfProcess(process.pid) ?? 0) - before).toBeLessThan(200e6);
    await close();
  });

  test('a process that dies of a SELECT rejects its source, and says how it died', async () => {
    const { run, close } = await open();
    const running = run(ENDLESS);
    const [child = 0] = childrenOf(process.pid);
    process.kill(child, 'SIGSEGV');
    await expect(running).rejects.toMatchObject({
      code: 'source_rejected',
      message: expect.stringMatching(/^source\.sql line 1 \(models\): ended its process: SIGSEGV/),
    });
    await close();
  });

  test('closing ends the process, whatever it does', async () => {
    const { run, close } = await open();
    const running = run(ENDLESS).catch(() => undefined);
    const [child = 0] = childrenOf(process.pid);
    expect(isRunning(child)).toBe(true);
    await close();
    await expect.poll(() => isRunning(child)).toBe(false);
    await running;
  });
});

test.each([
  ['1GB', 1e9],
  ['1.5 GiB', 1.5 * 2 ** 30],
  ['512MiB', 512 * 2 ** 20],
  ['4KB', 4000],
])('%s are %d bytes', (size, bytes) => {
  expect(bytesFromSize(size)).toBe(bytes);
});

test.skipIf(process.platform !== 'linux')(
  "a process's memory is what it holds; a process that is gone holds none",
  () => {
    const before = memoryOfProcess(process.pid) ?? 0;
    const held = Buffer.alloc(100_000_000, 1);
    expect((memoryOfProcess(process.pid) ?? 0) - before).toBeGreaterThan(0.9 * held.length);
    expect(memoryOfProcess(2 ** 22)).toBeUndefined();
  },
);
