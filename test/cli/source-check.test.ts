import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { UpstreamServer } from '../support/fetch/upstream-server.ts';
import { answersFrom, callCli, envOf } from '../support/processes/cli.ts';

let folder: string;
let source: string;
/** Where the process makes its temporary folders. */
let temporary: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-source-check-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  [source, temporary] = [join(folder, 'raw'), join(folder, 'tmp')];
  for (const path of [source, temporary]) await mkdir(path);
  await writeFile(join(source, 'models.csv'), 'id;Name\na;A\nb;B\n');
  await writeFile(join(source, 'price.csv'), 'model_id\n');
});

const check = (...args: readonly string[]) =>
  callCli(['source', 'check', source, ...args], { env: env(), cwd: folder });
const env = () => ({ ...envOf({ store: join(folder, 'store'), work: join(folder, 'work') }), TMPDIR: temporary });

test('tells how a source reads, and whether it could be published', async () => {
  const good = await check();
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(good.stdout).toMatch(/^can be published .*raw, \d{4}-\d{2}-\d{2}: 2 models, 0 benchmarks, /);
  expect(good.stdout).toContain('  price.csv: is not read; files are named after their dataset');

  await writeFile(join(source, 'pricing.jsonl'), '{"model_id":"a","provider":"p","input_per_million":"1,5"}\n');
  const bad = await check();
  expect(bad.code).toBe(4);
  expect(bad.stdout).toMatch(/^rejected .*\n {2}pricing: 1 of 1 rows are bad, .*source\.sql can mend it/);
  const answer = await check('--json');
  expect([answer.code, answersFrom(answer.stdout)]).toEqual([
    4,
    [expect.objectContaining({ ok: false, source, problems: [expect.stringContaining('pricing: 1 of 1')] })],
  ]);
});

test('reads the newest of dated folders, and what a source lists to fetch', async () => {
  for (const day of ['2026-06-01', '2026-06-02']) await mkdir(join(source, day));
  await writeFile(join(source, '2026-06-02', 'models.jsonl'), '{"id":"c","name":"C"}\n');
  expect((await check()).stdout).toContain(', 2026-06-02: 1 models');

  const server = await UpstreamServer.start();
  onTestFinished(() => server.close());
  server.serve('/models.json', '[{"id":"d","name":"D"}]');
  source = join(folder, 'recipe');
  await mkdir(source);
  const upstreams = [{ id: 'shop', name: 'The shop', url: server.url }];
  const fetch = [{ upstream: 'shop', url: `${server.url}/models.json`, file: 'models.json' }];
  await writeFile(join(source, 'source.json'), JSON.stringify({ upstreams, fetch }));
  expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining(': 1 models') });
});

test('keeps nothing, and needs no store', async () => {
  await check();
  expect(await readdir(temporary)).toEqual([]);
  expect((await readdir(folder)).sort()).toEqual(['raw', 'tmp']);
});

test.each([
  ['a source that is not there', ['nightly', '--source', 'nowhere', '--all-days'], 4, 'source_rejected'],
  ['an option that there is not', ['nightly', '--soure', 'x'], 2, 'usage'],
  ['a store whose address is none', ['status'], 2, 'configuration'],
])('a command that fails says so as JSON too: %s', async (_, args, code, error) => {
  const settings = args[0] === 'status' ? { ...env(), MODELSTATS_STORE: 'ftp://x' } : env();
  const failed = await callCli([...args, '--json'], { env: settings, cwd: folder });
  const [answer] = answersFrom(failed.stdout);
  expect([failed.code, answer]).toEqual([
    code,
    { status: 'error', error: { code: error, message: expect.any(String) } },
  ]);
  const { message } = Object(answer?.['error']);
  expect(failed.stderr).toContain(message);
});
