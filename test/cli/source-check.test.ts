import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { UpstreamServer } from '../support/fetch/upstream-server.ts';
import { responsesFrom } from '../support/processes/cli.ts';
import { useCli } from '../support/processes/use-cli.ts';

const { path, run } = useCli({ perTest: true });
beforeEach(async () => {
  for (const name of ['raw', 'tmp']) await mkdir(path(name));
  await writeFile(path('raw', 'models.csv'), 'id;Name\na;A\nb;B\n');
  await writeFile(path('raw', 'price.csv'), 'model_id\n');
  vi.stubEnv('TMPDIR', path('tmp')); // Where this process makes its temporary folders.
  onTestFinished(() => void vi.unstubAllEnvs());
});

const check = (name = 'raw', ...args: readonly string[]) => run('source', 'check', path(name), ...args);

test('tells how a source reads, and whether it could be published', async () => {
  const good = await check();
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(good.stdout).toMatch(/^can be published .*raw, \d{4}-\d{2}-\d{2}: 2 models, 0 benchmarks, /);
  expect(good.stdout).toContain('  price.csv: ignored; a file must be named after its dataset');

  await writeFile(path('raw', 'pricing.jsonl'), '{"model_id":"a","provider":"p","input_per_million":"1,5"}\n');
  const bad = await check();
  expect(bad.code).toBe(4);
  expect(bad.stdout).toMatch(/^rejected .*\n {2}pricing: 1 of 1 rows are bad, .*source\.sql can fix it/);
  const response = await check('raw', '--json');
  expect([response.code, responsesFrom(response.stdout)]).toEqual([
    4,
    [
      expect.objectContaining({
        ok: false,
        source: path('raw'),
        problems: [expect.stringContaining('pricing: 1 of 1')],
      }),
    ],
  ]);
});

test('reads the newest of dated folders, and what a source lists to fetch', async () => {
  for (const day of ['2026-06-01', '2026-06-02']) await mkdir(path('raw', day));
  await writeFile(path('raw', '2026-06-02', 'models.jsonl'), '{"id":"c","name":"C"}\n');
  expect((await check()).stdout).toContain(', 2026-06-02: 1 models');

  const server = await UpstreamServer.start();
  onTestFinished(() => server.close());
  server.serve('/models.json', '[{"id":"d","name":"D"}]');
  const upstreams = [{ id: 'shop', name: 'The shop', url: server.url }];
  const fetch = [{ upstream: 'shop', url: `${server.url}/models.json`, file: 'models.json' }];
  await mkdir(path('recipe'));
  await writeFile(path('recipe', 'source.json'), JSON.stringify({ upstreams, fetch }));
  expect(await check('recipe')).toMatchObject({ code: 0, stdout: expect.stringContaining(': 1 models') });
});

test('keeps nothing, and needs no store', async () => {
  await check();
  expect(await readdir(path('tmp'))).toEqual([]);
  expect((await readdir(path())).sort()).toEqual(['raw', 'tmp']);
});
