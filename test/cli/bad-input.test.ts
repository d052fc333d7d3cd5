import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CalledCli, callCli, envOf, responsesFrom, runCli } from '../support/processes/cli.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { BAD_SOURCES } from '../worlds/bad-input/bad-sources.ts';
import { Source } from '../worlds/bad-input/good-source.ts';

const YESTERDAY = '2024-03-01';
const TODAY = '2024-03-02';
/** A usual night takes 160 MB; with room for the buffers of readers that is less than with one of the largest inputs. */
const MEMORY_BYTES_MAX = 320_000_000;
const HUGE = BAD_SOURCES.filter(({ title }) => title.includes('200 MB'));

const path = useFolder();
const env = () => envOf({ store: path('store'), work: path('work') });
const readCatalog = () => readFile(path('store', 'catalog.json'));
let catalog: Buffer;
let sources = 0;

beforeAll(async () => {
  expect(await night(await createSource(), YESTERDAY)).toMatchObject({ code: 0 });
  catalog = await readCatalog();
});

const wordsOf = ({ folder }: Source, day: string) => ['nightly', '--source', folder, '--day', day, '--json'];

function night(source: Source, day: string, args: readonly string[] = []): Promise<CalledCli> {
  return callCli([...wordsOf(source, day), ...args], { env: env() });
}

function createSource(): Promise<Source> {
  sources += 1;
  return Source.create(path(`src-${sources}`));
}

describe('publishes nothing, says what is wrong and where, and leaves yesterday as it was:', () => {
  test.each(BAD_SOURCES.filter((source) => !HUGE.includes(source)))('$title', async ({ spoil, says }) => {
    const source = await createSource();
    await spoil(source);
    const result = await night(source, TODAY);
    expect(result.stderr).toBe('');
    await assertRejected(result, says);
  });

  test.each(HUGE)('$title, which needs no memory of its size', async ({ spoil, says }) => {
    const source = await createSource();
    await spoil(source);
    /** Makes the process tell its peak memory when it ends. */
    const script = `process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)))`;
    const tellMemory = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
    const result = await runCli(wordsOf(source, TODAY), { env: { ...env(), ...tellMemory } });
    await assertRejected(result, says);
    expect(Number(result.stderr) * 1024).toBeLessThan(MEMORY_BYTES_MAX);
  });

  async function assertRejected({ code, stdout }: CalledCli, says: readonly (RegExp | string)[]): Promise<void> {
    expect(code).toBe(4);
    const [response] = responsesFrom(stdout);
    expect(response).toMatchObject({ status: 'rejected', day: TODAY, snapshot_id: null, published_at: null });
    const problems = [response?.['problems']].flat().join('\n');
    for (const part of says) expect(problems).toMatch(part);
    expect(problems).not.toMatch(/\n\s*at |Error:/);
    expect(await readCatalog()).toEqual(catalog);
    const report = String(response?.['report']);
    const { status, error } = JSON.parse(await readFile(join(report, 'report.json'), 'utf8'));
    expect({ status, error }).toEqual({ status: 'rejected', error: problems });
    const issues = await readFile(join(report, 'issues.jsonl'), 'utf8');
    expect(issues.split('\n').length > 1).toBe(problems.includes('rows are bad'));
  }
});

test('sets aside what is wrong in a few rows and publishes the rest', async () => {
  const source = await createSource();
  const wrong = [
    ['value', '"high"', 'is not a number'],
    ['value', 'NaN', 'is not a finite number'],
    ['value', '-Infinity', 'is not a finite number'],
    ['value', '1e999', 'is not a finite number'],
    ['model_id', 'null', 'is missing'],
  ] as const;
  const bad = wrong.map(([field, value, reason], index) => ({
    file: 'scores.jsonl',
    line: 7 + index,
    field,
    value,
    reason,
  }));
  for (const { line, field, value } of bad)
    await source.editLine('scores.jsonl', line, (text) =>
      text.replace(new RegExp(`"${field}":[^,}]+`), `"${field}":${value}`),
    );
  const { code, stdout } = await night(source, TODAY, ['--dry-run']);
  const [response] = responsesFrom(stdout);
  expect(code).toBe(0);
  expect(response).toMatchObject({ status: 'dry_run', quarantined: 5, records: { scores: 30 }, events: { delete: 0 } });
  const issues = responsesFrom(await readFile(join(String(response?.['report']), 'issues.jsonl'), 'utf8'));
  for (const { value: _, ...issue } of bad) expect(issues).toContainEqual(expect.objectContaining(issue));
  expect(await readCatalog()).toEqual(catalog);
});
