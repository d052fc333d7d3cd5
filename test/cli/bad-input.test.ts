import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { answersFrom, type CalledCli, callCli, envOf, type Place, runCli } from '../support/processes/cli.ts';
import { BAD_SOURCES } from '../worlds/bad-input/bad-sources.ts';
import { Source } from '../worlds/bad-input/good-source.ts';

/** Whole nights in processes of their own: a busy machine with a slow disk takes its time. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const YESTERDAY = '2024-03-01';
const TODAY = '2024-03-02';
/** Room for the buffers of readers, far less than the largest inputs. */
const EXTRA_MEMORY_BYTES_MAX = 150_000_000;

let folder: string;
let place: Place;
let catalog: Buffer;
let sources = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-bad-input-'));
  place = { store: join(folder, 'store'), work: join(folder, 'work') };
  const good = await Source.create(join(folder, 'good'));
  expect(await night(good, YESTERDAY)).toMatchObject({ code: 0 });
  catalog = await readCatalog();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function night(source: Source, day: string, args: readonly string[] = []): Promise<CalledCli> {
  return callCli(['nightly', '--source', source.folder, '--day', day, '--json', ...args], { env: envOf(place) });
}

function readCatalog(): Promise<Buffer> {
  return readFile(join(place.store, 'catalog.json'));
}

function createSource(): Promise<Source> {
  sources += 1;
  return Source.create(join(folder, `src-${sources}`));
}

describe('publishes nothing, says what is wrong and where, and leaves yesterday as it was:', () => {
  test.each(BAD_SOURCES)('$title', async ({ spoil, says }) => {
    const source = await createSource();
    await spoil(source);
    const { code, stdout, stderr } = await night(source, TODAY);
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' });
    const [answer] = answersFrom(stdout);
    expect(answer).toMatchObject({ status: 'rejected', day: TODAY, snapshot_id: null, published_at: null });
    const problems = [answer?.['problems']].flat().join('\n');
    for (const part of says) expect(problems).toMatch(part);
    expect(problems).not.toMatch(/\n\s*at |Error:/);
    expect(await readCatalog()).toEqual(catalog);
    await assertReported(String(answer?.['report']), problems);
  });

  async function assertReported(report: string, problems: string): Promise<void> {
    const { status, error } = JSON.parse(await readFile(join(report, 'report.json'), 'utf8'));
    expect({ status, error }).toEqual({ status: 'rejected', error: problems });
    const issues = await readFile(join(report, 'issues.jsonl'), 'utf8');
    const isByRow = problems.includes('rows are bad');
    expect(issues.split('\n').length > 1).toBe(isByRow);
  }
});

describe('sets aside what is wrong in a few rows and publishes the rest:', () => {
  test.each([
    ['a wrong type', 'value', (line: string) => line.replace('0.6', '"high"'), 'is not a number'],
    ['NaN', 'value', (line: string) => line.replace('0.6', 'NaN'), 'is not a finite number'],
    ['Infinity', 'value', (line: string) => line.replace('0.6', '-Infinity'), 'is not a finite number'],
    ['a number beyond all', 'value', (line: string) => line.replace('0.6', '1e999'), 'is not a finite number'],
    ['a null', 'model_id', () => 'null', 'is missing'],
  ])('%s', async (_, field, edit, reason) => {
    const source = await createSource();
    await source.editLine('scores.jsonl', 7, edit);
    const { code, stdout } = await night(source, TODAY, ['--dry-run']);
    const [answer] = answersFrom(stdout);
    expect(code).toBe(0);
    expect(answer).toMatchObject({
      status: 'dry_run',
      quarantined: 1,
      records: { scores: 30 },
      events: { delete: 0 },
    });
    const issues = answersFrom(await readFile(join(String(answer?.['report']), 'issues.jsonl'), 'utf8'));
    expect(issues).toContainEqual(expect.objectContaining({ file: 'scores.jsonl', line: 7, field, reason }));
    expect(await readCatalog()).toEqual(catalog);
  });
});

describe('a line of 200 MB needs no memory of its size:', () => {
  /** Makes the process tell its peak memory when it ends. */
  const script = `process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)))`;
  const tellMemory = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };

  test.each(BAD_SOURCES.filter(({ title }) => title.includes('200 MB')))('$title', async ({ spoil }) => {
    const source = await createSource();
    const args = ['nightly', '--source', source.folder, '--day', TODAY, '--json'];
    const options = { env: { ...envOf(place), ...tellMemory } };
    const good = await runCli([...args, '--dry-run'], options);
    await spoil(source);
    const bad = await runCli(args, options);
    expect([good.code, bad.code]).toEqual([0, 4]);
    expect((Number(bad.stderr) - Number(good.stderr)) * 1024).toBeLessThan(EXTRA_MEMORY_BYTES_MAX);
  });
});
