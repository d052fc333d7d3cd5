import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { dayFromDate } from '../../runtime/day.ts';
import * as faults from '../support/fetch/faults.ts';
import { SHOP_FILES, SHOP_KEY, serveShop, shopSettings } from '../support/fetch/shop.ts';
import { UpstreamServer } from '../support/fetch/upstream-server.ts';
import { responsesFrom, runCli, startCli } from '../support/processes/cli.ts';
import { useCli } from '../support/processes/use-cli.ts';

const { path, env, run, runWith } = useCli({ perTest: true });
let server: UpstreamServer;
let source: string;
beforeEach(async () => {
  server = await UpstreamServer.start();
  source = path('recipe');
  await mkdir(source);
  await writeFile(join(source, 'source.json'), JSON.stringify(shopSettings(server.url)));
  for (const [name, text] of Object.entries(SHOP_FILES)) await writeFile(join(source, name), text);
  serveShop(server, { a: 1, b: 2 });
  vi.stubEnv('SHOP_KEY', SHOP_KEY); // A recipe's variable is one of the process itself.
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

describe('modelstats fetch', () => {
  test('makes the folder of a day, from which nightly publishes without network', async () => {
    const into = path('raw');
    const words = ['fetch', '--source', source, '--into', into, '--day', '2026-06-01', '--json'];
    const fetched = await run(...words);
    expect(fetched).toMatchObject({ code: 0, stderr: '' });
    const day = join(into, '2026-06-01');
    expect(responsesFrom(fetched.stdout)).toEqual([
      {
        status: 'fetched',
        day: '2026-06-01',
        folder: day,
        files: [
          expect.objectContaining({ upstream: 'shop', file: 'shop/models.json', status: 'fetched' }),
          expect.objectContaining({ file: 'prices.csv', status: 'fetched', problem: null }),
        ],
        problems: [],
        warnings: [],
      },
    ]);
    expect((await readdir(day)).sort()).toEqual([
      'fetch.json',
      'names.csv',
      'prices.csv',
      'shop',
      'source.json',
      'source.sql',
    ]);
    await server.close();
    const night = await run('nightly', '--source', into, '--all-days', '--json');
    expect(responsesFrom(night.stdout)).toMatchObject([{ status: 'published', records: { models: 2, pricing: 2 } }]);
  });

  test('says what is missing, by its address and the cause, and ends with 4', async () => {
    server.breakForGood('/models.json', faults.status(404));
    const once = { MODELSTATS_FETCH_ATTEMPTS_MAX: '1' };
    const { code, stdout } = await runWith(once, 'fetch', '--source', source, '--day', '2026-06-01');
    expect(code).toBe(4);
    expect(stdout).toMatch(/^incomplete 2026-06-01 in .*work\/fetched\/2026-06-01\n/);
    expect(stdout).toContain(`could not be fetched from ${server.url}/models.json?key=\${SHOP_KEY}: `);
    expect(stdout).not.toContain(SHOP_KEY);
  });

  test.each<[string, () => readonly string[], Record<string, string>, RegExp]>([
    ['a variable that is not set', () => [], { SHOP_KEY: '' }, /needs the variable SHOP_KEY, which is not set/],
    ['a day to come', () => ['--day', '2999-01-01'], {}, /2999-01-01 is in the future/],
    ['a day that is none', () => ['--day', 'today'], {}, /--day today is not a calendar day/],
    ['a source that lists nothing', () => ['--source', path()], {}, /has nothing to fetch/],
  ])('ends with 2 for %s', async (_, words, settings, problem) => {
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
    const { code, stderr } = await run('fetch', '--source', source, ...words());
    expect(code).toBe(2);
    expect(stderr).toMatch(problem);
    expect(server.seen).toEqual([]);
  });
});

test('a night that fetches and is killed in the middle of a file has nothing half, and goes on with that file', async () => {
  const isStuck = new Promise<void>((resolve) => {
    server.break('/models.json', (response, file, request) => {
      faults.stuck(response, file, request);
      resolve();
    });
  });
  const killed = startCli(['nightly', '--source', source], { env: env() });
  await isStuck;
  const archive = path('work', 'fetched', dayFromDate(new Date()));
  await expect.poll(async () => readdir(archive)).toContain('prices.csv');
  killed.child.kill('SIGKILL');
  expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
  expect(await readdir(archive)).not.toContain('shop');
  await expect.poll(() => server.seen.length).toBe(2);
  server.takeSeen();
  const again = await runCli(['nightly', '--source', source, '--json'], { env: env() });
  expect(responsesFrom(again.stdout)).toMatchObject([{ status: 'published', records: { models: 2, pricing: 2 } }]);
  expect(server.takeSeen()).toContain(`/models.json?key=${SHOP_KEY}`);
  expect((await readdir(archive)).filter((name) => name.startsWith('.'))).toEqual([]);
});
