import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examine, useNewMachine } from '../../../test/support/doctor/examine.ts';
import { freePort } from '../../../test/support/processes/servers.ts';
import { listenOnLoopback } from '../../../test/support/server/listen-on-loopback.ts';
import { configFromEnv } from '../../config/config.ts';
import { runDoctor } from './run-doctor.ts';

const machine = useNewMachine();

test('on a new machine nothing fails, nothing is made, and every line says what to do where something is to be done', async () => {
  const { code, ok, checks } = await examine(machine.env());
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  for (const { check, result, advice } of checks) expect([check, advice !== null]).toEqual([check, result !== 'ok']);
  expect(checks.filter(({ result }) => result === 'warn').map(({ check }) => check)).toEqual(['store']);
  expect(await readdir(machine.folder())).toEqual([]);
});

test('only what is used is checked', async () => {
  const { checks } = await examine({ MODELSTATS_STORE: `file:${machine.folder()}`, MODELSTATS_WORK: machine.folder() });
  const names = checks.map(({ check }) => check);
  expect(names).toEqual(['node', 'settings', 'duckdb', 'work_folder', 'store', 'store_writes']);
});

test('wrong settings are all told, and what needs them is not checked', async () => {
  const { code, checks, of } = await examine({ MODELSTATS_PORT: 'many', MODELSTATS_STROE: 'x' });
  expect(code).toBe(1);
  expect(checks.map(({ check }) => check)).toEqual(['node', 'settings']);
  expect(of('settings')).toMatch(/^fail: MODELSTATS_PORT: must be .*; MODELSTATS_STROE is not a setting$/);
});

const [SEE_STORE, SEE_DATABASE] = ['skipped: not checked: see store', 'skipped: not checked: see database'];

test('what can not be reached has failed soon, each with what to do, and no password is told; what stands on it is skipped', async () => {
  const nowhere = `127.0.0.1:${await freePort()}`;
  const { code, ok, text, of, checks } = await examine({
    ...machine.env(),
    MODELSTATS_STORE: 's3://bucket/prefix',
    MODELSTATS_S3_ENDPOINT: `http://${nowhere}`,
    AWS_ACCESS_KEY_ID: 'me',
    AWS_SECRET_ACCESS_KEY: 'hunter2-secret',
    MODELSTATS_DATABASE: `postgres://me:hunter2-secret@${nowhere}/x`,
    MODELSTATS_SECRET_KEYS: Buffer.alloc(32, 1).toString('base64'),
    MODELSTATS_REDIS: `redis://:hunter2-secret@${nowhere}`,
    MODELSTATS_SMTP: `smtp://me:hunter2-secret@${nowhere}`,
    MODELSTATS_SOURCE: join(machine.folder(), 'source'),
    MODELSTATS_CRON: '0 3 * * *',
  });
  expect({ code, ok }).toEqual({ code: 1, ok: false });
  const failed = checks.filter(({ result }) => result === 'fail').map(({ check }) => check);
  expect(failed.sort()).toEqual(['database', 'mail', 'redis', 'source', 'store']);
  expect([of('store_writes'), of('store_clock'), of('secret_keys')]).toEqual([SEE_STORE, SEE_STORE, SEE_DATABASE]);
  for (const { result, advice } of checks) if (result === 'skipped') expect(advice).toBeNull();
  expect(text).not.toContain('hunter2');
});

test('a server that takes connections and says nothing, or goes on without an end, holds nothing up', async () => {
  const { port: silent } = await listenOnLoopback();
  const { port: endless } = await listenOnLoopback((socket) => {
    const letters = setInterval(() => socket.write('2'), 500);
    socket.write('220 at your service\r\n');
    socket.on('close', () => clearInterval(letters));
  });
  const { of } = await examine({
    ...machine.env(),
    MODELSTATS_STORE: 's3://bucket/prefix',
    MODELSTATS_S3_ENDPOINT: `http://127.0.0.1:${silent}`,
    AWS_ACCESS_KEY_ID: 'me',
    AWS_SECRET_ACCESS_KEY: 'secret',
    MODELSTATS_DATABASE: `postgres://me@127.0.0.1:${silent}/x`,
    MODELSTATS_REDIS: `redis://127.0.0.1:${silent}`,
    MODELSTATS_SMTP: `smtp://127.0.0.1:${endless}`,
    MODELSTATS_PORT: `${silent}`,
  });
  for (const check of ['store', 'database', 'redis', 'mail', 'port']) expect(of(check), check).toMatch(/^fail: /);
  expect(of('store_writes')).toBe(SEE_STORE);
});

test('a store in a place that is none fails once, and one that can be read is tried by itself', async () => {
  await writeFile(join(machine.folder(), 'store'), 'a file');
  const broken = await examine(machine.env());
  expect([broken.code, broken.of('store_writes')]).toEqual([1, SEE_STORE]);
  expect(broken.of('store')).toMatch(/^fail: /);
  await rm(join(machine.folder(), 'store'));
  await mkdir(join(machine.folder(), 'store'));
  await writeFile(join(machine.folder(), 'store', 'catalog.json'), '{');
  const damaged = await examine(machine.env());
  expect(damaged.of('store')).toMatch(/^fail: .*catalog\.json/);
  expect(damaged.of('store_writes')).toMatch(/^ok: /);
});

test('people read a line for each check, and what to do below it', async () => {
  const written: string[] = [];
  const env = { MODELSTATS_STORE: `file:${machine.folder()}`, MODELSTATS_WORK: machine.folder() };
  const printResult = (_: unknown, text: string | (() => string)) =>
    void written.push(typeof text === 'string' ? text : text());
  const context = { env, printResult, clock: () => new Date(), toolVersion: '0' };
  expect(await runDoctor({ ...context, config: configFromEnv(env) })).toBe(0);
  expect(written.join('\n')).toMatch(
    /^ok +node +Node\.js .*\n(.*\n)+.*warn.* +store +.*\n +→ publish one: .*\n(.*\n)*5 ok, 1 with warnings, 0 failed$/,
  );
  written.length = 0;
  const gone = { ...env, MODELSTATS_STORE: 'file:/dev/null/store' };
  expect(await runDoctor({ ...context, env: gone, config: configFromEnv(gone) })).toBe(1);
  expect(written.join('\n')).toMatch(
    /FAIL.* +store +.*\n +→ fix .*\n.*skip.* +store_writes +not checked: see store\n4 ok, 0 with warnings, 1 failed, 1 skipped$/,
  );
});
