import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { addCustomer, TestClock } from '../../test/support/accounts/subject.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { openDatabase } from '../database/open-database.ts';
import { SYSTEM } from './actor.ts';
import { type Accounts, openAccounts, openAccountsOn } from './open-accounts.ts';
import { createOrganization, listOrganizations } from './organizations/organizations.ts';

const at = useFolder({ perTest: true });
let path: string;
let accounts: Accounts;

beforeEach(async () => {
  path = at('accounts.db');
  accounts = await openAccounts(`sqlite:${path}`, { database: { sqlite: { busyTimeoutMs: 50 } } });
});
afterEach(() => accounts.close());

/** Begins a write of another process, which goes on until it is ended. */
function writeElsewhere(): () => void {
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('ROLLBACK');
    other.close();
  };
}

test('while another process writes for too long nothing is granted, and afterwards all works again', async () => {
  const { key, caller: ask } = await addCustomer(accounts);
  const caller = await ask();
  const end = writeElsewhere();
  await expect(accounts.quota.reserve(caller)).rejects.toMatchObject({ code: 'unavailable' });
  const late = createOrganization({ name: 'Late' }, accounts.as(SYSTEM));
  await expect(late).rejects.toMatchObject({ code: 'unavailable' });
  expect(await accounts.authenticate(key), 'reading goes on').toBeDefined();
  end();
  expect(await accounts.quota.reserve(caller)).toMatchObject({ granted: true, usage: { used: 1 } });
  expect(await listOrganizations(accounts.as(SYSTEM))).toHaveLength(1);
});

test('a write of another process that ends in time is waited for, without holding up anything else', async () => {
  const patient = await openAccounts(`sqlite:${path}`, { database: { sqlite: { busyTimeoutMs: 10_000 } } });
  const { caller: ask } = await addCustomer(patient);
  const caller = await ask();
  await patient.quota.reserve(caller); // The first one of an hour starts the cleanup too.
  const end = writeElsewhere();
  const reserved = patient.quota.reserve(caller);
  await new Promise((resolve) => setImmediate(resolve)); // After the first attempt; a wait that blocks would never end here.
  end();
  expect(await reserved).toMatchObject({ granted: true, usage: { used: 2 } });
  await patient.close();
});

test('an organization without a subscription is on Community', async () => {
  const { key, organizationId } = await addCustomer(accounts, { plan: 'builder' });
  const other = new Database(path);
  other.prepare('delete from subscriptions where organization_id = ?').run(organizationId);
  other.close();
  expect(await accounts.authenticate(key)).toMatchObject({ terms: { plan: 'community', quotaLimit: 500 } });
});

describe('the files', () => {
  const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
  let umask: number;
  beforeEach(() => {
    umask = process.umask(0);
  });
  afterEach(() => void process.umask(umask));

  test('are for their user alone, with the folders that were made for them, whatever the umask', async () => {
    const made = at('made', 'deep');
    const fresh = await openAccounts(`sqlite:${join(made, 'accounts.db')}`);
    await addCustomer(fresh);
    const modes = await Promise.all(
      ['accounts.db', 'accounts.db-wal', 'accounts.db-shm'].map((name) => modeOf(join(made, name))),
    );
    expect(modes).toEqual(['600', '600', '600']);
    expect([await modeOf(made), await modeOf(at('made'))]).toEqual(['700', '700']);
    await fresh.close();
  });

  test('that were there with a wider mode are narrowed, their folder is not', async () => {
    await accounts.close();
    await chmod(path, 0o644);
    await chmod(at(), 0o755);
    accounts = await openAccounts(`sqlite:${path}`);
    expect([await modeOf(path), await modeOf(at())]).toEqual(['600', '755']);
  });

  test('that are no database keep their mode', async () => {
    const notes = at('notes.txt');
    await writeFile(notes, 'not a database, but somebody wants it '.repeat(100), { mode: 0o644 });
    await expect(openAccounts(`sqlite:${notes}`)).rejects.toMatchObject({ code: 'configuration' });
    expect(await modeOf(notes)).toBe('644');
  });
});

describe('a control database that does not do its work', () => {
  test('shows why and since when, logs it once however many requests fail, and says when it is over', async () => {
    const logged: string[] = [];
    const note = (_: unknown, text = '') => void logged.push(text);
    const clock = new TestClock('2026-11-20T12:00:00Z');
    const database = await openDatabase(`sqlite:${path}`);
    const watched = await openAccountsOn(database, { clock: clock.now, log: { info: note, warn: note }, probeMs: 5 });
    const caller = await (await addCustomer(watched)).caller();
    /** As on a full disk or a read-only file system: SQLite refuses to write. */
    const setReadOnly = (isReadOnly: boolean) => {
      if (database.engine.kind === 'sqlite') database.engine.connection.pragma(`query_only = ${isReadOnly ? 1 : 0}`);
    };
    await watched.quota.reserve(caller);
    expect(watched.problem).toBeUndefined();
    setReadOnly(true);
    for (let request = 0; request < 50; request += 1) {
      clock.advance(1000);
      await expect(watched.quota.reserve(caller)).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(await watched.quota.usage(caller)).toMatchObject({ used: 1 });
    const since = new Date('2026-11-20T12:00:01Z');
    expect(watched.problem).toEqual({ code: 'unavailable', message: expect.stringContaining('readonly'), since });
    expect(logged.filter((text) => text.includes('the control database failed'))).toHaveLength(1);
    setReadOnly(false);
    await vi.waitFor(() => expect(watched.problem).toBeUndefined(), 5_000);
    expect(logged.at(-1)).toBe('the control database works again');
    expect(await watched.quota.reserve(caller)).toMatchObject({ granted: true, usage: { used: 2 } });
    await watched.close();
    await database.close();
  });
});
