import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../api/database/open-database.ts';
import { examine, useNewMachine } from '../../../test/support/doctor/examine.ts';
import { openTemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { listenOnFreePort } from '../../../test/support/processes/servers.ts';
import { configFromEnv } from '../../config/config.ts';
import { configuredSecretKeys } from '../../config/secret-keys-file.ts';
import { compareClocks } from './check.ts';

const machine = useNewMachine();

test('a store tells its newest day, and warns where no night was published since', async () => {
  const store = await openTemporaryStore();
  onTestFinished(() => store.dispose());
  await store.publish('2026-06-01', { models: [{ id: 'a', name: 'A' }] });
  const env = { ...machine.env(), MODELSTATS_STORE: store.url };
  const before = await readdir(store.folder);
  const on = async (day: string) => (await examine(env, new Date(`${day}T12:00:00Z`))).of('store');
  expect(await on('2026-06-02')).toMatch(/^ok: .*1 snapshots, the newest of 2026-06-01$/);
  expect(await on('2026-06-03')).toMatch(/^warn: .*the newest of 2026-06-01, but today is 2026-06-03$/);
  expect(await readdir(store.folder)).toEqual(before);
  await writeFile(join(store.folder, 'catalog.json'), '{');
  expect(await on('2026-06-02')).toMatch(/^fail: .*catalog\.json is damaged/);
});

test('a control database is looked at as it is: not there yet, of this version, older or newer', async () => {
  const file = join(machine.folder(), 'accounts.db');
  const look = async () => (await examine(machine.env())).of('database');
  expect(await look()).toMatch(/^ok: .*does not exist yet/);
  await (await openDatabase(`sqlite:${file}`)).close();
  expect(await look()).toMatch(/^ok: .*has the current version$/);
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
  const { of } = await examine(machine.env());
  expect(of('database')).toMatch(/^fail: .*can't be opened: file is not a database; .*MODELSTATS_DATABASE$/);
  expect(of('secret_keys'), 'no key is made or missed').toMatch(/^skipped: not checked: see database$/);
});

test('a control database of which nobody can tell whether it is there is not taken for one that is not there yet', async () => {
  await writeFile(join(machine.folder(), 'file'), '');
  await mkdir(join(machine.folder(), 'folder'));
  const look = async (name: string) => {
    const url = `sqlite:${join(machine.folder(), name)}`;
    return (await examine({ ...machine.env(), MODELSTATS_DATABASE: url })).of('database');
  };
  expect(await look('file/accounts.db')).toMatch(/^fail: .*can't be opened: ENOTDIR: .*; check .*MODELSTATS_DATABASE$/);
  expect(await look('folder')).toMatch(/^fail: .*can't be opened: it is a folder; name a file in MODELSTATS_DATABASE$/);
});

test('the key of secrets is looked for, and tried on the secrets that there are', async () => {
  const env = machine.env();
  const look = async (more = {}) => (await examine({ ...env, ...more })).of('secret_keys');
  expect(await look()).toMatch(/^ok: .*accounts\.db\.key does not exist yet/);
  const keys = await configuredSecretKeys(configFromEnv(env));
  const key = join(machine.folder(), 'accounts.db.key');
  expect(await look()).toMatch(/^ok: .*accounts\.db\.key: no secrets yet$/);
  await addSecret(env.MODELSTATS_DATABASE, keys.seal('whsec_x', 'whe_1'));
  expect(await look()).toMatch(/^ok: .*opens all 1 secrets$/);
  await chmod(key, 0o644);
  expect(await look()).toMatch(/^warn: other users of this machine can read .*accounts\.db\.key$/);
  const other = Buffer.alloc(32, 9).toString('base64');
  expect(await look({ MODELSTATS_SECRET_KEYS: other })).toBe("fail: 1 of 1 secrets can't be opened");
  const bytes = await readFile(key);
  await rm(key);
  expect(await look()).toMatch(/^fail: .*accounts\.db\.key is missing, and 1 secrets need it$/);
  expect(await readdir(machine.folder())).not.toContain('accounts.db.key');
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

test('a mail server is asked, and gets no mail', async () => {
  let mails = 0;
  const server = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'], onData: () => (mails += 1) });
  const port = await listenOnFreePort(server.server);
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { of } = await examine({ ...machine.env(), MODELSTATS_SMTP: `smtp://127.0.0.1:${port}` });
  expect(of('mail')).toBe(`ok: smtp://127.0.0.1:${port} responds; no mail was sent`);
  expect(mails).toBe(0);
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
