import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examine, useNewMachine } from '../../../test/support/doctor/examine.ts';
import { writeDay } from '../../../test/support/pipeline/write-day.ts';
import { serveSample } from '../../../test/support/processes/serve-sample.ts';
import { freePort } from '../../../test/support/processes/servers.ts';
import { listenOnLoopback } from '../../../test/support/server/listen-on-loopback.ts';

const machine = useNewMachine();

test('a port is free, has a server of ours, or something else', async () => {
  const { port: taken } = await listenOnLoopback((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nhello'));
  const at = async (number: string, more = {}) => examine({ ...machine.env(), ...more, MODELSTATS_PORT: number });
  const token = { MODELSTATS_METRICS_TOKEN: '0123456789abcdef' };
  expect((await at(`${taken}`)).of('port')).toMatch(/^fail: serve can't listen on 127\.0\.0\.1:\d+: /);
  expect((await at(`${await freePort()}`)).of('port')).toMatch(/^ok: .*is free for serve$/);
  const { serving } = await serveSample({ env: token });
  const { port } = new URL(serving.url);
  const ours = await at(port, token);
  expect(ours.of('port')).toBe(`ok: serve responds at http://127.0.0.1:${port}`);
  expect(ours.of('metrics')).toBe(`ok: http://127.0.0.1:${port}/metrics can be read, by holders of the token`);
  const wrong = await at(port, { MODELSTATS_METRICS_TOKEN: 'fedcba9876543210' });
  expect(wrong.of('metrics')).toBe(`fail: http://127.0.0.1:${port}/metrics returned 404`);
});

test.each([
  [{}, /^ok: links have the host of each request/],
  [{ MODELSTATS_PUBLIC_URL: 'http://127.0.0.1:8080' }, /^ok: .*only from this machine/],
  [{ MODELSTATS_PUBLIC_URL: 'http://api.test' }, /^warn: .*sent unencrypted/],
  [{ MODELSTATS_PUBLIC_URL: 'https://api.test' }, /^warn: .*no proxy is trusted/],
  [{ MODELSTATS_PUBLIC_URL: 'https://api.test', MODELSTATS_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8' }, /^ok: .*through/],
  [{ MODELSTATS_TRUSTED_PROXIES: '0.0.0.0/0' }, /^warn: .*trusts everybody/],
  [{ MODELSTATS_TRUSTED_PROXIES: '10.0.0.0/33,proxy' }, /^fail: .*'10\.0\.0\.0\/33' is not .*'proxy' is not /],
])('with %j the addresses of callers are %s', async (env, expected) => {
  expect((await examine({ ...machine.env(), ...env })).of('addresses')).toMatch(expected);
});

test('a source is looked at as far as its files tell', async () => {
  const source = join(machine.folder(), 'source');
  const look = async (more = {}) =>
    (await examine({ ...machine.env(), MODELSTATS_SOURCE: source, ...more })).of('source');
  await mkdir(source);
  expect(await look()).toMatch(/^fail: .*has no data/);
  await writeDay(join(source, '2026-06-01'), { models: [{ id: 'a', name: 'A' }], scores: [] });
  expect(await look()).toMatch(/^ok: .*2026-06-01: models, scores;/);
  await writeFile(join(source, 'source.json'), '{');
  expect(await look()).toMatch(/^fail: .*source\.json/);
  const upstreams = [{ id: 'shop', name: 'The shop', url: 'https://shop.test' }];
  const headers = { authorization: `Bearer \${SHOP_KEY}` };
  const fetch = [{ upstream: 'shop', url: 'https://shop.test/models.json', file: 'models.json', headers }];
  await writeFile(join(source, 'source.json'), JSON.stringify({ upstreams, fetch }));
  expect(await look()).toMatch(/^fail: .*needs SHOP_KEY, which is not set$/);
  expect(await look({ SHOP_KEY: 'hunter2' })).toMatch(/^ok: .*lists 1 files to fetch/);
});

test('a scheduler is known by its health file', async () => {
  const file = join(machine.folder(), 'health.json');
  const now = new Date('2026-06-01T12:00:00Z');
  const look = async () => (await examine({ ...machine.env(), MODELSTATS_HEALTH_FILE: file }, now)).of('schedule');
  expect(await look()).toMatch(/^warn: .*no scheduler has written it/);
  const health = { state: 'waiting', last: null, next_run_at: null, attempts: 0, error: null };
  await writeFile(file, JSON.stringify({ ...health, updated_at: '2026-06-01T11:59:30Z' }));
  expect(await look()).toMatch(/^ok: the scheduler is waiting, no night yet; the next night is due 2026-06-02T00:05/);
  await writeFile(file, JSON.stringify({ ...health, updated_at: '2026-06-01T11:00:00Z' }));
  expect(await look()).toMatch(/^fail: the scheduler is not running/);
});

test('a night that waits for a person is told as such, with the command that goes on', async () => {
  const file = join(machine.folder(), 'health.json');
  const now = new Date('2026-06-01T12:00:00Z');
  const command = 'modelstats nightly --source /raw --day 2026-06-01 --accept';
  const examineAfter = async (more: object) => {
    const last = { day: '2026-06-01', status: 'held', at: '2026-06-01T11:50:00Z' };
    const said = { state: 'retrying', last, next_run_at: null, attempts: 3, error: 'models would lose 60 %' };
    const health = { ...said, next_command: command, updated_at: '2026-06-01T11:59:30Z', ...more };
    await writeFile(file, JSON.stringify(health));
    const { code, checks } = await examine({ ...machine.env(), MODELSTATS_HEALTH_FILE: file }, now);
    const { result, message, advice } = checks.find(({ check }) => check === 'schedule') ?? {};
    return { code, result, message, advice };
  };
  expect(await examineAfter({})).toEqual({
    code: 1,
    result: 'fail',
    message: '2026-06-01 is held: models would lose 60 %; the scheduler is running',
    advice: `if the source is right, run: ${command}`,
  });
  expect(await examineAfter({ state: 'waiting', next_command: null })).toMatchObject({
    code: 1,
    message: '2026-06-01 was given up, its night is held: models would lose 60 %; the scheduler is running',
    advice: expect.stringContaining('the log of the scheduler'),
  });
  expect(await examineAfter({ state: 'stopped' })).toMatchObject({
    message: expect.stringMatching(/^the scheduler is not running: the scheduler was stopped/),
  });
});

test.skipIf(process.getuid?.() === 0)('a folder that can not be written fails', async () => {
  await mkdir(join(machine.folder(), 'work'), { mode: 0o500 });
  expect((await examine(machine.env())).of('work_folder')).toMatch(/^fail: .*can't be written/);
});

test.each([
  [
    'in the place of a file',
    () => writeFile(join(machine.folder(), 'work'), ''),
    'work/below',
    /^fail: .*not a directory/,
  ],
  [
    'that is a link to nothing',
    () => symlink('nowhere', join(machine.folder(), 'work')),
    'work',
    /^fail: .* is a link to nowhere, which does not exist$/,
  ],
])('a work folder %s fails', async (_, make, path, expected) => {
  await make();
  const { of } = await examine({ ...machine.env(), MODELSTATS_WORK: join(machine.folder(), path) });
  expect(of('work_folder')).toMatch(expected);
});

test("DuckDB's memory that is more than the machine has is told", async () => {
  expect((await examine({ ...machine.env(), MODELSTATS_MEMORY_LIMIT: '900TB' })).of('duckdb')).toMatch(
    /^warn: .*900TB of/,
  );
  expect((await examine({ ...machine.env(), MODELSTATS_MEMORY_LIMIT: '100 MiB' })).of('duckdb')).toMatch(/^ok: /);
});
