import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import type { AuditedChanges } from '../../../api/accounts/audit.ts';
import { createKey, listKeys, revokeKey, rotateKey } from '../../../api/accounts/organizations/keys.ts';
import {
  changePlan,
  createOrganization,
  listOrganizations,
} from '../../../api/accounts/organizations/organizations.ts';
import type { Subscription } from '../../../api/accounts/organizations/terms.ts';
import { API_KEYS } from '../../../api/accounts/organizations/token-form.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import { addCustomer, type Subject, TestClock } from './subject.ts';

/** Longest that what another process revoked, or changed of a plan, may still hold, as promised. */
const REVOCATION_MS_MAX = 5_000;

async function readAll(url: string): Promise<string> {
  const database = await openDatabase(url);
  const tables = await database.kysely.introspection.getTables();
  const rows = await Promise.all(
    tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(database.kysely)),
  );
  await database.close();
  return JSON.stringify(rows.map((result) => result.rows));
}

export function describeKeys(subject: Subject): void {
  const openTwo = async () => {
    const clock = new TestClock();
    return { clock, here: await subject.open({ clock: clock.now }), there: await subject.open({ clock: clock.now }) };
  };

  describe('keys', () => {
    test('a key works at once and says whose it is and what that organization may do', async () => {
      const accounts = await subject.open({ clock: new TestClock().now });
      const { organizationId, keyId, key } = await addCustomer(accounts, { plan: 'builder' });
      expect(await accounts.authenticate(key)).toMatchObject({
        organizationId,
        credentialId: keyId,
        clientSource: 'api_key',
        terms: { plan: 'builder', status: 'active', dailyQuota: 5000, quotaLimit: 5000, burstPerMinute: 300 },
      });
    });

    test('missing, malformed, unknown and revoked keys give the same nothing', async () => {
      const accounts = await subject.open();
      const { key, keyId } = await addCustomer(accounts);
      await revokeKey(keyId, accounts.as(SYSTEM));
      const wrong = [undefined, '', 'msk_', 'secret', key, API_KEYS.fromBytes(randomBytes(32)), `${key} `, 'é\0'];
      for (const token of wrong) expect(await accounts.authenticate(token)).toBeUndefined();
    });

    test('the key is nowhere in the database, only its hash and last four', async () => {
      const clock = new TestClock('2026-11-20T12:00:00Z');
      const accounts = await subject.open({ clock: clock.now });
      const { key, organizationId } = await addCustomer(accounts);
      const listed = await listKeys(organizationId, accounts.as(SYSTEM));
      const known = { name: 'test', lastFour: key.slice(-4), createdAt: clock.now(), lastUsedAt: null };
      expect(listed).toMatchObject([{ ...known, revokedAt: null, expiresAt: null }]);
      expect(JSON.stringify(listed)).not.toContain(key.slice(4, 20));
      const stored = await readAll(subject.url());
      expect(stored).toContain(createHash('sha256').update(key).digest('hex'));
      // The last four are there; whatever is longer would be a part of the key.
      for (let from = 4; from + 8 <= key.length; from += 1) expect(stored).not.toContain(key.slice(from, from + 8));
    });

    test.each([
      ['a revocation', revokeKey],
      [
        'a rotation without an overlap',
        (id: string, changes: AuditedChanges) => rotateKey(id, { overlapMs: 0 }, changes),
      ],
    ])('%s ends a key in use at once in its own process, and within 5 seconds in others', async (_, end) => {
      const { clock, here, there } = await openTwo();
      const { key, keyId } = await addCustomer(here);
      for (const accounts of [here, there]) expect(await accounts.authenticate(key)).toBeDefined();
      await end(keyId, here.as(SYSTEM));
      expect(await here.authenticate(key)).toBeUndefined();
      clock.advance(REVOCATION_MS_MAX);
      expect(await there.authenticate(key)).toBeUndefined();
    });

    test('a revoked key keeps the date of its first revocation', async () => {
      const clock = new TestClock('2026-11-20T12:00:00Z');
      const accounts = await subject.open({ clock: clock.now });
      const changes = accounts.as(SYSTEM);
      const { keyId } = await addCustomer(accounts);
      await revokeKey(keyId, changes);
      clock.advance(60_000);
      expect((await revokeKey(keyId, changes)).revokedAt).toEqual(new Date('2026-11-20T12:00:00Z'));
    });

    test('the last use is written when the process ends at the latest', async () => {
      const clock = new TestClock('2026-11-20T12:34:56Z');
      const accounts = await subject.open({ clock: clock.now });
      const { key, organizationId } = await addCustomer(accounts);
      const untouched = await addCustomer(accounts);
      await accounts.authenticate(key);
      await accounts.close();
      const changes = (await subject.open()).as(SYSTEM);
      expect(await listKeys(organizationId, changes)).toMatchObject([{ lastUsedAt: clock.now() }]);
      expect(await listKeys(untouched.organizationId, changes)).toMatchObject([{ lastUsedAt: null }]);
    });

    test('a key with an end works until that instant, and is then refused like an unknown one, wherever it is remembered', async () => {
      const { clock, here, there } = await openTwo();
      const { organizationId } = await addCustomer(here);
      const expiresAt = new Date('2026-11-20T12:00:02Z');
      const { key } = await createKey({ organizationId, name: 'short', expiresAt }, here.as(SYSTEM));
      clock.set('2026-11-20T12:00:01.999Z');
      for (const accounts of [here, there]) expect(await accounts.authenticate(key)).toBeDefined();
      clock.set('2026-11-20T12:00:02Z');
      for (const accounts of [here, there]) expect(await accounts.authenticate(key)).toBeUndefined();
      clock.set('2026-11-21T12:00:00Z');
      expect(await here.authenticate(key)).toBeUndefined();
      expect((await listKeys(organizationId, there.as(SYSTEM))).at(-1)).toMatchObject({ name: 'short', expiresAt });
    });

    test('a rotated key works beside the new one for the overlap, here and in other processes, and then no more', async () => {
      const { clock, here, there } = await openTwo();
      const { key: old, keyId, organizationId } = await addCustomer(here);
      expect(await there.authenticate(old)).toBeDefined();
      const { issued, replaced } = await rotateKey(keyId, { overlapMs: 3_600_000 }, here.as(SYSTEM));
      expect(issued).toMatchObject({ organizationId, name: 'test', expiresAt: null, revokedAt: null });
      expect(replaced).toMatchObject({ id: keyId, expiresAt: new Date('2026-11-20T13:00:00Z') });
      clock.advance(3_599_999);
      const found = (key: string) => Promise.all([here, there].map((accounts) => accounts.authenticate(key)));
      for (const key of [old, issued.key])
        expect(await found(key)).toMatchObject([{ organizationId }, { organizationId }]);
      clock.advance(1);
      expect(await found(old)).toEqual([undefined, undefined]);
      expect(await found(issued.key)).not.toContain(undefined);
    });

    test('a rotation never lets the old key live longer, and one that has ended is not rotated', async () => {
      const clock = new TestClock('2026-11-20T12:00:00Z');
      const accounts = await subject.open({ clock: clock.now });
      const changes = accounts.as(SYSTEM);
      const { organizationId } = await addCustomer(accounts);
      const expiresAt = new Date('2026-11-20T12:00:10Z');
      const { id } = await createKey({ organizationId, name: 'short', expiresAt }, changes);
      expect((await rotateKey(id, { overlapMs: 60_000 }, changes)).replaced.expiresAt).toEqual(expiresAt);
      clock.advance(10_000);
      await expect(rotateKey(id, { overlapMs: 0 }, changes)).rejects.toMatchObject({ code: 'usage' });
      const { id: revoked } = await createKey({ organizationId, name: 'revoked' }, changes);
      await revokeKey(revoked, changes);
      await expect(rotateKey(revoked, { overlapMs: 0 }, changes)).rejects.toMatchObject({ code: 'usage' });
      await expect(rotateKey('key_none', { overlapMs: 0 }, changes)).rejects.toMatchObject({ code: 'not_found' });
    });

    test('an organization or a key that is not there is named', async () => {
      const changes = (await subject.open()).as(SYSTEM);
      const none = { code: 'not_found', message: 'there is no organization org_none' };
      await expect(createKey({ organizationId: 'org_none', name: 'x' }, changes)).rejects.toMatchObject(none);
      await expect(listKeys('org_none', changes)).rejects.toMatchObject(none);
      await expect(revokeKey('key_none', changes)).rejects.toThrow('there is no key key_none');
    });
  });

  describe('organizations', () => {
    test('are listed with their plan, oldest first', async () => {
      const changes = (await subject.open()).as(SYSTEM);
      const one = await createOrganization({ name: 'One' }, changes);
      const two = await createOrganization({ name: "Two; drop table organizations; -- ' ü 😀" }, changes);
      const listed = await listOrganizations(changes);
      expect(listed.filter(({ id }) => id === one.id || id === two.id)).toEqual([one, two]);
      expect(one.terms.plan).toBe('community');
    });

    test('a change of plan holds at once, contract and all, within 5 seconds in other processes, and can be taken back', async () => {
      const { clock, here, there } = await openTwo();
      const { key, organizationId } = await addCustomer(here);
      const change = async (changes: Partial<Subscription>, terms: object) => {
        for (const accounts of [here, there]) expect(await accounts.authenticate(key)).not.toMatchObject({ terms });
        await changePlan(organizationId, (before) => ({ ...before, ...changes }), here.as(SYSTEM));
        expect(await here.authenticate(key)).toMatchObject({ terms });
        clock.advance(REVOCATION_MS_MAX);
        expect(await there.authenticate(key)).toMatchObject({ terms });
      };
      const periodEnd = new Date('2027-05-31T00:00:00Z');
      const contract = { daily_quota: 7, history_months: 24 };
      await change(
        { plan: 'commercial', contract, periodEnd },
        { plan: 'commercial', quotaLimit: 7, historyMonths: 24, periodEnd },
      );
      await change({ plan: 'community', contract: {} }, { plan: 'community', quotaLimit: 500, periodEnd });
    });
  });
}
