import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { examine, useNewMachine } from '../../../test/support/doctor/examine.ts';
import { freePort } from '../../../test/support/processes/servers.ts';
import { configFromEnv } from '../../config/config.ts';
import { doctor } from './doctor.ts';

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

test('what can not be reached has failed soon, each with what to do, and no password is told', async () => {
  const nowhere = `127.0.0.1:${await freePort()}`;
  const started = performance.now();
  const { code, text, of } = await examine({
    ...machine.env(),
    MODELSTATS_STORE: 's3://bucket/prefix',
    MODELSTATS_S3_ENDPOINT: `http://${nowhere}`,
    AWS_ACCESS_KEY_ID: 'me',
    AWS_SECRET_ACCESS_KEY: 'hunter2-secret',
    MODELSTATS_DATABASE: `postgres://me:hunter2-secret@${nowhere}/x`,
    MODELSTATS_REDIS: `redis://:hunter2-secret@${nowhere}`,
    MODELSTATS_SMTP: `smtp://me:hunter2-secret@${nowhere}`,
    MODELSTATS_SOURCE: join(machine.folder(), 'source'),
  });
  expect(code).toBe(1);
  expect(performance.now() - started).toBeLessThan(20_000);
  for (const check of ['store', 'store_writes', 'database', 'secret_keys', 'redis', 'mail', 'source'])
    expect(of(check), check).toMatch(/^fail: /);
  const serving = { MODELSTATS_STORE: 's3://bucket/prefix', MODELSTATS_S3_ENDPOINT: `http://${nowhere}` };
  expect((await examine({ ...machine.env(), ...serving })).of('store_writes')).toMatch(/^fail: /);
  expect(of('store_clock')).toMatch(/^warn: the time of .* is not known/);
  expect(text).not.toContain('hunter2');
});

test('a server that takes connections and says nothing holds nothing up', { timeout: 60_000 }, async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const started = performance.now();
  const { of } = await examine({
    ...machine.env(),
    MODELSTATS_STORE: 's3://bucket/prefix',
    MODELSTATS_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'me',
    AWS_SECRET_ACCESS_KEY: 'secret',
    MODELSTATS_DATABASE: `postgres://me@127.0.0.1:${port}/x`,
    MODELSTATS_REDIS: `redis://127.0.0.1:${port}`,
    MODELSTATS_SMTP: `smtp://127.0.0.1:${port}`,
    MODELSTATS_PORT: `${port}`,
  });
  expect(performance.now() - started).toBeLessThan(25_000);
  for (const check of ['store', 'database', 'redis', 'mail', 'port']) expect(of(check), check).toMatch(/^fail: /);
});

test('people read a line for each check, and what to do below it', async () => {
  const written: string[] = [];
  const env = { MODELSTATS_STORE: `file:${machine.folder()}`, MODELSTATS_WORK: machine.folder() };
  const print = (line: string) => void written.push(line);
  const told = { env, print, log: print, clock: () => new Date(), toolVersion: '0', isTerminal: false };
  expect(await doctor({ ...told, config: configFromEnv(env) }, {})).toBe(0);
  expect(written.join('\n')).toMatch(
    /^ok +node +Node\.js .*\n(.*\n)+.*warn.* +store +.*\n +→ publish one: .*\n(.*\n)*5 ok, 1 to look at, 0 failed$/,
  );
});
