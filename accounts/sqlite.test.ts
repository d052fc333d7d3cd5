import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Accounts } from '../accounts.ts';
import { openAccounts } from '../open-accounts.ts';
import { addCustomer } from '../testing/subject.ts';

let folder: string;
let path: string;
let accounts: Accounts;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-sqlite-'));
  path = join(folder, 'accounts.db');
  accounts = await openAccounts(`sqlite:${path}`, { database: { sqlite: { busyTimeoutMs: 50 } } });
});
afterEach(async () => {
  await accounts.close();
  await rm(folder, { recursive: true });
});

test('while another process writes for too long nothing is granted, and afterwards all works again', async () => {
  const { key, caller: ask } = await addCustomer(accounts);
  const caller = await ask();
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  await expect(accounts.quota.reserve(caller)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(accounts.administration.createOrganization('Late')).rejects.toMatchObject({ code: 'unavailable' });
  expect(await accounts.authenticate(key), 'reading goes on').toBeDefined();
  other.exec('ROLLBACK');
  other.close();
  expect(await accounts.quota.reserve(caller)).toMatchObject({ granted: true, usage: { used: 1 } });
  expect(await accounts.administration.listOrganizations()).toHaveLength(1);
});

test('a write of another process that ends in time is waited for, without holding up anything else', async () => {
  const patient = await openAccounts(`sqlite:${path}`, { database: { sqlite: { busyTimeoutMs: 10_000 } } });
  const { caller: ask } = await addCustomer(patient);
  const caller = await ask();
  await patient.quota.reserve(caller); // The first one of an hour starts the cleanup too.
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  const reserved = patient.quota.reserve(caller);
  await new Promise((resolve) => setImmediate(resolve)); // After the first attempt; a wait that blocks would never end here.
  other.exec('ROLLBACK');
  other.close();
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

test('verified integrations raise the quota, two at most, until they end', async () => {
  const { key, organizationId } = await addCustomer(accounts);
  const other = new Database(path);
  const add = other.prepare('insert into verified_integrations values (?, ?, ?, 0, null)');
  const limits: unknown[] = [];
  for (const id of ['int_1', 'int_2', 'int_3']) {
    add.run(id, organizationId, `https://example.org/${id}`);
    limits.push((await accounts.authenticate(key))?.terms.quotaLimit);
  }
  other.prepare('update verified_integrations set ended_at = 1 where id <> ?').run('int_1');
  other.close();
  limits.push((await accounts.authenticate(key))?.terms.quotaLimit);
  expect(limits).toEqual([750, 1000, 1000, 750]);
});
