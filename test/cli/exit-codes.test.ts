import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeDay } from '../support/pipeline/write-day.ts';
import { answersFrom, callCli, envOf, FAILURE_AS_JSON, type Place } from '../support/processes/cli.ts';

const DAYS = ['2024-03-01', '2024-03-02', '2024-03-03'] as const;

let folder: string;
let place: Place;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-exit-codes-'));
  place = { store: join(folder, 'store'), work: join(folder, 'work') };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function run(...args: readonly string[]) {
  return callCli([...args, '--json'], { env: envOf(place), cwd: folder });
}

/** Days of so many models, each with a price. */
async function writeDays(counts: readonly number[]): Promise<void> {
  for (const [index, count] of counts.entries()) {
    const ids = Array.from({ length: count }, (_, at) => `m${at}`);
    await writeDay(join(folder, 'source', DAYS[index] ?? ''), {
      models: ids.map((id) => ({ id, name: id })),
      pricing: ids.map((id) => ({ model_id: id, provider: 'p', input_per_million: 1 })),
    });
  }
}

const ALL_DAYS = ['nightly', '--source', 'source', '--all-days'];

test('--all-days stops at the first day that is held, with exit code 3', async () => {
  await writeDays([10, 5, 10]);
  const { code, stdout } = await run(...ALL_DAYS);
  expect(code).toBe(3);
  expect(answersFrom(stdout).map(({ day, status }) => `${day} ${status}`)).toEqual([
    '2024-03-01 published',
    '2024-03-02 held',
  ]);
  const [held] = answersFrom((await run('status')).stdout);
  expect(held).toMatchObject({ snapshots: 1, newest: { day: '2024-03-01' } });
});

test('a backfill of which no row has a place ends with 4', async () => {
  await writeDays([1]);
  expect((await run(...ALL_DAYS)).code).toBe(0);
  const row = { model_id: 'nobody', provider: 'p', input_per_million: 1, effective_from: '2024-02-01' };
  await writeFile(join(folder, 'table.jsonl'), JSON.stringify(row));
  const { code, stdout } = await run('backfill', 'pricing', '--table', 'table.jsonl');
  expect([code, answersFrom(stdout)]).toMatchObject([4, [{ status: 'nothing_placed' }]]);
});

test('a prune that finds a release that was live, but is not in the catalog, ends with 1', async () => {
  await writeDays([1, 1]);
  expect((await run(...ALL_DAYS)).code).toBe(0);
  expect((await run('prune')).code).toBe(0);
  const path = join(place.store, 'catalog.json');
  const catalog = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...catalog, releases: catalog.releases.slice(0, 1) }));
  const { code, stdout, stderr } = await run('prune');
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(FAILURE_AS_JSON) });
  expect(stderr).toMatch(/2024-03-02\.\w+ was published/);
});
