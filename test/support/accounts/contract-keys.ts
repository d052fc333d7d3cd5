import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { API_KEYS } from '../../../api/accounts/credentials/token-form.ts';
import { NO_SUBSCRIPTION, type Subscription } from '../../../api/accounts/plans/terms.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import { addCustomer, type Subject, TestClock } from './subject.ts';

/** Longest that what another process revoked, or changed of a plan, may still hold, as promised. */
const REVOCATION_MS_MAX = 5_000;

/** All rows of all tables, as JSON. */
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
  /** Two processes with one clock. */
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
      await accounts.administration.revokeKey(keyId);
      const wrong = [undefined, '', 'msk_', 'secret', key, API_KEYS.fromBytes(randomBytes(32)), `${key} `, 'é\0'];
      for (const token of wrong) expect(await accounts.authenticate(token)).toBeUndefined();
    });

    test('the key is nowhere in the database, only its hash and last four', async () => {
      const clock = new TestClock('2026-11-20T12:00:00Z');
      const accounts = await subject.open({ clock: clock.now });
      const { key, organizationId } = await addCustomer(accounts);
      const listed = await accounts.administration.listKeys(organizationId);
      const known = { name: 'test', lastFour: key.slice(-4), createdAt: clock.now(), lastUsedAt: null };
      expect(listed).toMatchObject([{ ...known, revokedAt: null, expiresAt: null }]);
      expect(JSON.stringify(listed)).not.toContain(key.slice(4, 20));
      const stored = await readAll(subject.url());
      expect(stored).toContain(createHash('sha256').update(key).digest('hex'));
      // The last four are there; whatever is longer would be a part of the key.
      for (let from = 4; from + 8 <= key.length; from += 1) expect(stored).not.toContain(key.slice(from, from + 8));
    });

    test('a revocation is in force at once in its own process, for a key in use as well', async () => {
      const accounts = await subject.open();
      const { key, keyId } = await addCustomer(accounts);
      expect(await accounts.authenticate(key)).toBeDefined();
      const [, during] = await Promise.all([accounts.administration.revokeKey(keyId), accounts.authenticate(key)]);
      expect(during === undefined || during.credentialId === keyId).toBe(true);
      expect(await accounts.authenticate(key)).toBeUndefined();
    });

    test('a revocation by another process is in force within 5 seconds', async () => {
      const { clock, here, there } = await openTwo();
      const { key, keyId } = await addCustomer(there);
      expect(await here.authenticate(key)).toBeDefined();
      await there.administration.revokeKey(keyId);
      clock.advance(REVOCATION_MS_MAX);
      expect(await here.authenticate(key)).toBeUndefined();
    });

    test('a revoked key keeps the date of its first revocation', async () => {
      const clock = new TestClock('2026-11-20T12:00:00Z');
      const { administration, ...accounts } = await subject.open({ clock: clock.now });
      const { keyId } = await addCustomer({ ...accounts, administration });
      await administration.revokeKey(keyId);
      clock.advance(60_000);
      expect((await administration.revokeKey(keyId)).revokedAt).toEqual(new Date('2026-11-20T12:00:00Z'));
    });

    test('the last use is written when the process ends at the latest', async () => {
      const clock = new TestClock('2026-11-20T12:34:56Z');
      const accounts = await subject.open({ clock: clock.now });
      const { key, organizationId } = await addCustomer(accounts);
      const untouched = await addCustomer(accounts);
      await accounts.authenticate(key);
      await accounts.close();
      const { administration } = await subject.open();
      expect(await administration.listKeys(organizationId)).toMatchObject([{ lastUsedAt: clock.now() }]);
      expect(await administration.listKeys(untouched.organizationId)).toMatchObject([{ lastUsedAt: null }]);
    });

    test('a key with an end works until that instant, and is then refused like an unknown one, wherever it is remembered', async () => {
      const { clock, here, there } = await openTwo();
      const { organizationId } = await addCustomer(here);
      const expiresAt = new Date('2026-11-20T12:00:02Z');
      const { key } = await here.administration.createKey(organizationId, 'short', { expiresAt });
      clock.set('2026-11-20T12:00:01.999Z');
      for (const accounts of [here, there]) expect(await accounts.authenticate(key)).toBeDefined();
      clock.set('2026-11-20T12:00:02Z');
      for (const accounts of [here, there]) expect(await accounts.authenticate(key)).toBeUndefined();
      clock.set('2026-11-21T12:00:00Z');
      expect(await here.authenticate(key)).toBeUndefined();
      expect((await there.administration.listKeys(organizationId)).at(-1)).toMatchObject({ name: 'short', expiresAt });
    });

    test('a rotated key works beside the new one for the overlap, here and in other processes, and then no more', async () => {
      const { clock, here, there } = await openTwo();
      const { key: old, keyId, organizationId } = await addCustomer(here);
      expect(await there.authenticate(old)).toBeDefined();
      const { issued, replaced } = await here.administration.rotateKey(keyId, { overlapMs: 3_600_000 });
      expect(issued).toMatchObject({ organizationId, name: 'test', expiresAt: null, revokedAt: null });
      expect(replaced).toMatchObject({ id: keyId, expiresAt: new Date('2026-11-20T13:00:00Z') });
      clock.advance(3_599_999);
      for (const key of [old, issued.key])
        for (const accounts of [here, there])
          expect(await accounts.authenticate(key)).toMatchObject({ organizationId });
      clock.advance(1);
      for (const accounts of [here, there]) {
        expect(await accounts.authenticate(old)).toBeUndefined();
        expect(await accounts.authenticate(issued.key)).toBeDefined();
      }
    });

    test('a rotation without an overlap ends the old key at once here, and within 5 seconds elsewhere', async () => {
      const { clock, here, there } = await openTwo();
      const { key, keyId } = await addCustomer(here);
      for (const accounts of [here, there]) expect(await accounts.authenticate(key)).toBeDefined();
      await here.administration.rotateKey(keyId, { overlapMs: 0 });
      expect(await here.authenticate(key)).toBeUndefined();
      clock.advance(REVOCATION_MS_MAX);
      expect(await there.authenticate(key)).toBeUndefined();
    });

    test('a rotation never lets the old key live longer, and one that has ended is not rotated', async () => {
      const clock = new TestClock('2026-11-20T12:00:00Z');
      const { administration, ...rest } = await subject.open({ clock: clock.now });
      const { organizationId } = await addCustomer({ administration, ...rest });
      const expiresAt = new Date('2026-11-20T12:00:10Z');
      const { id } = await administration.createKey(organizationId, 'short', { expiresAt });
      expect((await administration.rotateKey(id, { overlapMs: 60_000 })).replaced.expiresAt).toEqual(expiresAt);
      clock.advance(10_000);
      await expect(administration.rotateKey(id, { overlapMs: 0 })).rejects.toMatchObject({ code: 'usage' });
      const { id: revoked } = await administration.createKey(organizationId, 'revoked');
      await administration.revokeKey(revoked);
      await expect(administration.rotateKey(revoked, { overlapMs: 0 })).rejects.toMatchObject({ code: 'usage' });
      await expect(administration.rotateKey('key_none', { overlapMs: 0 })).rejects.toMatchObject({ code: 'not_found' });
    });

    test('an organization or a key that is not there is named', async () => {
      const { administration } = await subject.open();
      await expect(administration.createKey('org_none', 'x')).rejects.toMatchObject({ code: 'not_found' });
      await expect(administration.listKeys('org_none')).rejects.toThrow('there is no organization org_none');
      await expect(administration.revokeKey('key_none')).rejects.toThrow('there is no key key_none');
    });
  });

  describe('organizations', () => {
    test('are listed with their plan, oldest first', async () => {
      const { administration } = await subject.open();
      const one = await administration.createOrganization('One');
      const two = await administration.createOrganization("Two; drop table organizations; -- ' ü 😀");
      const listed = await administration.listOrganizations();
      expect(listed.filter(({ id }) => id === one.id || id === two.id)).toEqual([one, two]);
      expect(one.terms.plan).toBe('community');
    });

    test('a change of plan by another process is in force within 5 seconds, less as well as more', async () => {
      const { clock, here, there } = await openTwo();
      const { key, organizationId } = await addCustomer(there, { plan: 'commercial' });
      expect(await here.authenticate(key)).toMatchObject({ terms: { plan: 'commercial' } });
      for (const plan of ['community', 'builder'] as const) {
        await there.administration.changePlan(organizationId, (before) => ({ ...before, plan }));
        clock.advance(REVOCATION_MS_MAX);
        expect(await here.authenticate(key)).toMatchObject({ terms: { plan } });
      }
    });

    test('a change of plan holds from the next request on, contract and all, and can be taken back', async () => {
      const accounts = await subject.open();
      const { key, organizationId } = await addCustomer(accounts);
      expect(await accounts.authenticate(key)).toMatchObject({ terms: { plan: 'community' } });
      const subscription: Subscription = {
        ...NO_SUBSCRIPTION,
        plan: 'commercial',
        contract: { daily_quota: 7, history_months: 24 },
        periodEnd: new Date('2027-05-31T00:00:00Z'),
      };
      await accounts.administration.changePlan(organizationId, () => subscription);
      const terms = { plan: 'commercial', quotaLimit: 7, historyMonths: 24, periodEnd: subscription.periodEnd };
      expect(await accounts.authenticate(key)).toMatchObject({ terms });
      await accounts.administration.changePlan(organizationId, () => ({
        ...subscription,
        plan: 'community',
        contract: {},
      }));
      expect(await accounts.authenticate(key)).toMatchObject({ terms: { plan: 'community', quotaLimit: 500 } });
    });
  });
}
