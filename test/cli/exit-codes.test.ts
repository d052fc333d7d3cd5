import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { writeDay } from '../support/pipeline/write-day.ts';
import { FAILURE_AS_JSON, responsesFrom } from '../support/processes/cli.ts';
import { useCli } from '../support/processes/use-cli.ts';

const DAYS = ['2024-03-01', '2024-03-02', '2024-03-03'] as const;
const { path, run, ask } = useCli({ perTest: true });

async function runNights(counts: readonly number[]) {
  for (const [index, count] of counts.entries()) {
    const ids = Array.from({ length: count }, (_, at) => `m${at}`);
    await writeDay(path('source', DAYS[index] ?? ''), {
      models: ids.map((id) => ({ id, name: id })),
      pricing: ids.map((id) => ({ model_id: id, provider: 'p', input_per_million: 1 })),
    });
  }
  return run('nightly', '--source', 'source', '--all-days', '--json');
}

test('--all-days stops at the first day that is held, with exit code 3', async () => {
  const { code, stdout } = await runNights([10, 5, 10]);
  expect(code).toBe(3);
  expect(responsesFrom(stdout).map(({ day, status }) => `${day} ${status}`)).toEqual([
    '2024-03-01 published',
    '2024-03-02 held',
  ]);
  expect(await ask('status')).toMatchObject({ snapshots: 1, newest: { day: '2024-03-01' } });
});

test('a backfill of which no row has a place ends with 4', async () => {
  expect((await runNights([1])).code).toBe(0);
  const row = { model_id: 'nobody', provider: 'p', input_per_million: 1, effective_from: '2024-02-01' };
  await writeFile(path('table.jsonl'), JSON.stringify(row));
  const { code, stdout } = await run('backfill', 'pricing', '--table', 'table.jsonl', '--json');
  expect([code, responsesFrom(stdout)]).toMatchObject([4, [{ status: 'nothing_placed' }]]);
});

test('a prune that finds a release that was live, but is not in the catalog, ends with 1', async () => {
  expect((await runNights([1, 1])).code).toBe(0);
  await ask('prune');
  const catalog = JSON.parse(await readFile(path('store', 'catalog.json'), 'utf8'));
  const lost = { ...catalog, releases: catalog.releases.slice(0, 1) };
  await writeFile(path('store', 'catalog.json'), JSON.stringify(lost));
  const { code, stdout, stderr } = await run('prune', '--json');
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(FAILURE_AS_JSON) });
  expect(stderr).toMatch(/2024-03-02\.\w+ was published/);
});

test('a verify that finds damage ends with 1, and names the file', async () => {
  expect((await runNights([1])).code).toBe(0);
  const { releases } = JSON.parse(await readFile(path('store', 'catalog.json'), 'utf8'));
  const models = ['releases', `${releases[0].day}.${releases[0].run}`, 'snapshot', 'models.jsonl.gz'];
  await writeFile(path('store', ...models), 'damaged');
  const { code, stdout } = await run('verify', '--all', '--json');
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('snapshot/models.jsonl.gz') });
});
