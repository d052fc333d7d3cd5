import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../database/open-database.ts';
import { dayFromDate } from '../../../schemas/day.ts';
import { examine } from '../../../test/support/doctor/examine.ts';
import { openTemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { writeDay } from '../../../test/support/pipeline/write-day.ts';
import { freePort } from '../../../test/support/processes/servers.ts';
import { ServingProcess } from '../../../test/support/processes/serving-process.ts';
import { configFromEnv } from '../../config/config.ts';
import { configuredSecretKeys } from '../../config/secret-keys-file.ts';
import { doctor } from './doctor.ts';
import { compareClocks } from './services/clock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-doctor-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** A machine on which nothing was done yet. */
const places = () => ({
  MODELSTATS_STORE: `file:${join(folder, 'store')}`,
  MODELSTATS_WORK: join(folder, 'work'),
  MODELSTATS_VIEW: join(folder, 'view'),
  MODELSTATS_DATABASE: `sqlite:${join(folder, 'accounts.db')}`,
  MODELSTATS_PORT: '0',
});

test('on a new machine nothing fails, nothing is made, and every line says what to do where something is to be done', async () => {
  const { code, ok, checks } = await examine(places());
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  for (const { check, result, advice } of checks) expect([check, advice !== null]).toEqual([check, result !== 'ok']);
  expect(checks.filter(({ result }) => result === 'warn').map(({ check }) => check)).toEqual(['store']);
  expect(await readdir(folder)).toEqual([]);
});

test('only what is used is checked', async () => {
  const { checks } = await examine({ MODELSTATS_STORE: `file:${folder}`, MODELSTATS_WORK: folder });
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
    ...places(),
    MODELSTATS_STORE: 's3://bucket/prefix',
    MODELSTATS_S3_ENDPOINT: `http://${nowhere}`,
    AWS_ACCESS_KEY_ID: 'me',
    AWS_SECRET_ACCESS_KEY: 'hunter2-secret',
    MODELSTATS_DATABASE: `postgres://me:hunter2-secret@${nowhere}/x`,
    MODELSTATS_REDIS: `redis://:hunter2-secret@${nowhere}`,
    MODELSTATS_SMTP: `smtp://me:hunter2-secret@${nowhere}`,
    MODELSTATS_SOURCE: join(folder, 'source'),
  });
  expect(code).toBe(1);
  expect(performance.now() - started).toBeLessThan(20_000);
  for (const check of ['store', 'store_writes', 'database', 'secret_keys', 'redis', 'mail', 'source'])
    expect(of(check), check).toMatch(/^fail: /);
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
    ...places(),
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

test('a store tells its newest day, and warns where no night was published since', async () => {
  const store = await openTemporaryStore();
  onTestFinished(() => store.dispose());
  await store.publish('2026-06-01', { models: [{ id: 'a', name: 'A' }] });
  const env = { ...places(), MODELSTATS_STORE: store.url };
  const before = await readdir(store.folder);
  const on = async (day: string) => (await examine(env, new Date(`${day}T12:00:00Z`))).of('store');
  expect(await on('2026-06-02')).toMatch(/^ok: .*1 snapshots, the newest of 2026-06-01$/);
  expect(await on('2026-06-03')).toMatch(/^warn: .*the newest of 2026-06-01, and today is 2026-06-03$/);
  expect(await readdir(store.folder)).toEqual(before);
  await writeFile(join(store.folder, 'catalog.json'), '{');
  expect(await on('2026-06-02')).toMatch(/^fail: .*catalog\.json can't be read/);
});

test.skipIf(process.getuid?.() === 0)('a folder that can not be written fails', async () => {
  await mkdir(join(folder, 'work'), { mode: 0o500 });
  expect((await examine(places())).of('work_folder')).toMatch(/^fail: .*can't be written/);
});

test('a work folder in the place of a file fails', async () => {
  await writeFile(join(folder, 'file'), '');
  const { of } = await examine({ ...places(), MODELSTATS_WORK: join(folder, 'file', 'work') });
  expect(of('work_folder')).toMatch(/^fail: .*not a directory/);
});

test('a control database is looked at as it is: not there yet, of this version, older or newer', async () => {
  const file = join(folder, 'accounts.db');
  const look = async () => (await examine(places())).of('database');
  expect(await look()).toMatch(/^ok: .*is not there yet/);
  await (await openDatabase(`sqlite:${file}`)).close();
  expect(await look()).toMatch(/^ok: .*of this version$/);
  const change = (sql: string) => {
    const database = new Sqlite(file);
    database.exec(sql);
    database.close();
  };
  change(`delete from modelstats_migrations where name = '0011-integrations'`);
  expect(await look()).toMatch(/^warn: .*lacks 1 migrations \(0011-integrations/);
  change(`insert into modelstats_migrations values ('9999-later', '2026-01-01')`);
  expect(await look()).toMatch(/^fail: .*changed by a newer version \(9999-later\)/);
  await writeFile(file, 'not a database at all, and long enough to be seen');
  expect(await look()).toMatch(/^fail: .*can't be read/);
});

test('the key of secrets is looked for, and tried on the secrets that there are', async () => {
  const env = places();
  const look = async (more = {}) => (await examine({ ...env, ...more })).of('secret_keys');
  expect(await look()).toMatch(/^ok: .*accounts\.db\.key is not there yet/);
  const keys = await configuredSecretKeys(configFromEnv(env));
  const key = join(folder, 'accounts.db.key');
  expect(await look()).toMatch(/^ok: .*accounts\.db\.key: no secrets yet$/);
  await addSecret(env.MODELSTATS_DATABASE, keys.seal('whsec_x', 'whe_1'));
  expect(await look()).toMatch(/^ok: .*opens all 1 secrets$/);
  await chmod(key, 0o644);
  expect(await look()).toMatch(/^warn: others on this machine may read .*accounts\.db\.key$/);
  const other = Buffer.alloc(32, 9).toString('base64');
  expect(await look({ MODELSTATS_SECRET_KEYS: other })).toBe("fail: 1 of 1 secrets can't be opened");
  const bytes = await readFile(key);
  await rm(key);
  expect(await look()).toMatch(/^fail: .*accounts\.db\.key is missing, and 1 secrets need it$/);
  expect(await readdir(folder)).not.toContain('accounts.db.key');
  await writeFile(key, bytes.subarray(0, 10));
  expect(await look()).toMatch(/^fail: .*is damaged/);
});

/** An endpoint with nothing but its secret. */
async function addSecret(url: string, sealed: string): Promise<void> {
  await (await openDatabase(url)).close();
  const database = new Sqlite(url.slice('sqlite:'.length));
  database.pragma('foreign_keys = OFF');
  const columns = database.prepare<[], { name: string; type: string }>(`pragma table_info('webhook_endpoints')`).all();
  const given: Readonly<Record<string, string>> = { id: 'whe_1', sealed_secret: sealed };
  const values = columns.map(({ name, type }) => given[name] ?? (/int/i.test(type) ? 0 : ''));
  database.prepare(`insert into webhook_endpoints values (${columns.map(() => '?').join(', ')})`).run(values);
  database.close();
}

test('a port is free, has a server of ours, or something else', async () => {
  const other = createServer((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nhello')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const address = other.address();
  const taken = typeof address === 'object' ? `${address?.port}` : '';
  const at = async (number: string, more = {}) => examine({ ...places(), ...more, MODELSTATS_PORT: number });
  const token = { MODELSTATS_METRICS_TOKEN: '0123456789abcdef' };
  expect((await at(taken)).of('port')).toMatch(/^fail: serve can't listen on 127\.0\.0\.1:\d+: /);
  expect((await at(`${await freePort()}`)).of('port')).toMatch(/^ok: .*is free for serve$/);
  const store = await openTemporaryStore();
  onTestFinished(() => store.dispose());
  await store.publish(dayFromDate(new Date()), { models: [{ id: 'a', name: 'A' }] });
  const database = `sqlite:${join(folder, 'serving.db')}`;
  const serving = await ServingProcess.start({ store: store.folder, database, env: token });
  onTestFinished(() => serving.end('SIGTERM').then(() => undefined));
  const { port } = new URL(serving.url);
  const ours = await at(port, token);
  expect(ours.of('port')).toBe(`ok: serve answers at http://127.0.0.1:${port}`);
  expect(ours.of('metrics')).toBe(`ok: http://127.0.0.1:${port}/metrics can be read, by whoever has the token`);
  const wrong = await at(port, { MODELSTATS_METRICS_TOKEN: 'fedcba9876543210' });
  expect(wrong.of('metrics')).toBe(`fail: http://127.0.0.1:${port}/metrics answers 404`);
});

test.each([
  [{}, /^ok: links name the host of each request/],
  [{ MODELSTATS_PUBLIC_URL: 'http://127.0.0.1:8080' }, /^ok: .*from this machine alone/],
  [{ MODELSTATS_PUBLIC_URL: 'http://api.test' }, /^warn: .*in the clear/],
  [{ MODELSTATS_PUBLIC_URL: 'https://api.test' }, /^warn: .*no proxy is trusted/],
  [{ MODELSTATS_PUBLIC_URL: 'https://api.test', MODELSTATS_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8' }, /^ok: .*through/],
  [{ MODELSTATS_TRUSTED_PROXIES: '0.0.0.0/0' }, /^warn: .*trusts everybody/],
  [{ MODELSTATS_TRUSTED_PROXIES: '10.0.0.0/33,proxy' }, /^fail: .*'10\.0\.0\.0\/33' is no .*'proxy' is no /],
])('with %j the addresses of callers are %s', async (env, told) => {
  expect((await examine({ ...places(), ...env })).of('addresses')).toMatch(told);
});

test('a source is looked at as far as its files tell', async () => {
  const source = join(folder, 'source');
  const look = async (more = {}) => (await examine({ ...places(), MODELSTATS_SOURCE: source, ...more })).of('source');
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
  const file = join(folder, 'health.json');
  const now = new Date('2026-06-01T12:00:00Z');
  const look = async () => (await examine({ ...places(), MODELSTATS_HEALTH_FILE: file }, now)).of('schedule');
  expect(await look()).toMatch(/^warn: .*no scheduler has written it/);
  const health = { state: 'waiting', last: null, next_run_at: null, attempts: 0, error: null };
  await writeFile(file, JSON.stringify({ ...health, updated_at: '2026-06-01T11:59:30Z' }));
  expect(await look()).toMatch(/^ok: the scheduler is waiting, no night yet; the next night is due 2026-06-02T00:05/);
  await writeFile(file, JSON.stringify({ ...health, updated_at: '2026-06-01T11:00:00Z' }));
  expect(await look()).toMatch(/^fail: the scheduler is not at work/);
});

test('a mail server is asked, and gets no mail', async () => {
  let mails = 0;
  const server = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'], onData: () => (mails += 1) });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { of } = await examine({ ...places(), MODELSTATS_SMTP: `smtp://127.0.0.1:${port}` });
  expect(of('mail')).toBe(`ok: smtp://127.0.0.1:${port} answers; nothing was sent`);
  expect(mails).toBe(0);
});

test("DuckDB's memory that is more than the machine has is told", async () => {
  expect((await examine({ ...places(), MODELSTATS_MEMORY_LIMIT: '900TB' })).of('duckdb')).toMatch(/^warn: .*900TB of/);
  expect((await examine({ ...places(), MODELSTATS_MEMORY_LIMIT: '100 MiB' })).of('duckdb')).toMatch(/^ok: /);
});

test.each([
  [0, 'ok'],
  [29, 'ok'],
  [-31, 'warn'],
  [299, 'warn'],
  [301, 'fail'],
  [-86_400, 'fail'],
])('a clock that is %i seconds off is %s', (seconds, result) => {
  const there = new Date('2026-06-01T00:00:00Z');
  expect(compareClocks(new Date(there.getTime() + seconds * 1000), there, 'the server').result).toBe(result);
});

test('people read a line for each check, and what to do below it', async () => {
  const written: string[] = [];
  const env = { MODELSTATS_STORE: `file:${folder}`, MODELSTATS_WORK: folder };
  const print = (line: string) => void written.push(line);
  const told = { env, print, log: print, clock: () => new Date(), toolVersion: '0', isTerminal: false };
  expect(await doctor({ ...told, config: configFromEnv(env) }, {})).toBe(0);
  expect(written.join('\n')).toMatch(
    /^ok +node +Node\.js .*\n(.*\n)+.*warn.* +store +.*\n +→ publish one: .*\n(.*\n)*5 ok, 1 to look at, 0 failed$/,
  );
});
