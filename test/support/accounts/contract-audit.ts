import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import { openAccountsOn } from '../../../api/accounts/open-accounts.ts';
import { createKey, listKeys, revokeKey, rotateKey } from '../../../api/accounts/organizations/keys.ts';
import {
  changePlan,
  createOrganization,
  listAudit,
  listOrganizations,
} from '../../../api/accounts/organizations/organizations.ts';
import { NO_SUBSCRIPTION } from '../../../api/accounts/organizations/terms.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import { addCustomer, type Subject, TestClock } from './subject.ts';

export function describeAudit(subject: Subject): void {
  describe('the audit log', () => {
    test('has a line for each change with who, when and what, newest first, and no secret', async () => {
      const clock = new TestClock('2026-11-20T12:00:00Z');
      const accounts = await subject.open({ clock: clock.now });
      const changes = accounts.as({ operator: 'cli:ada' });
      const { id: org } = await createOrganization({ name: 'Acme' }, changes);
      const builder = { ...NO_SUBSCRIPTION, plan: 'builder', contract: { daily_quota: null } } as const;
      await changePlan(org, () => builder, changes);
      const first = await createKey({ organizationId: org, name: 'production' }, changes);
      const { issued } = await rotateKey(first.id, { overlapMs: 1000 }, changes);
      await revokeKey(first.id, changes);
      const entries = await listAudit(org, { limit: 100 }, changes);
      expect(entries.map(({ actor, action, subjectId }) => [actor, action, subjectId])).toEqual([
        ['cli:ada', 'key.revoke', first.id],
        ['cli:ada', 'key.rotate', first.id],
        ['cli:ada', 'key.create', first.id],
        ['cli:ada', 'organization.set_plan', org],
        ['cli:ada', 'organization.create', org],
      ]);
      expect(entries[1]?.details).toMatchObject({ new_key_id: issued.id, ends_at: '2026-11-20T12:00:01.000Z' });
      expect(entries[3]?.details).toMatchObject({
        from: { plan: 'community' },
        to: { plan: 'builder', daily_quota: null },
      });
      expect(
        entries.every(({ at, organizationId }) => at.getTime() === clock.now().getTime() && organizationId === org),
      ).toBe(true);
      for (const { key } of [first, issued]) expect(JSON.stringify(entries)).not.toContain(key.slice(4));
      expect(await listAudit(org, { limit: 2 }, changes)).toEqual(entries.slice(0, 2));
    });

    test('names the address that somebody acted from', async () => {
      const accounts = await subject.open();
      const changes = accounts.as(SYSTEM);
      const { organizationId } = await addCustomer(accounts);
      const person = { id: 'person_1', email: 'ada@example.com' };
      const ada = accounts.as({ person, origin: { address: '203.0.113.7' } });
      await createKey({ organizationId, name: 'production' }, ada);
      const [newest, before] = await listAudit(organizationId, { limit: 2 }, changes);
      expect(newest).toMatchObject({ actor: 'person:ada@example.com', action: 'key.create', origin: '203.0.113.7' });
      expect(before).toMatchObject({ actor: 'system', origin: null });
    });

    test('says nothing about what changed nothing, and nothing about other organizations', async () => {
      const accounts = await subject.open();
      const [one, other] = [await addCustomer(accounts), await addCustomer(accounts)];
      const changes = accounts.as(SYSTEM);
      await revokeKey(one.keyId, changes);
      const before = await listAudit(one.organizationId, { limit: 100 }, changes);
      await revokeKey(one.keyId, changes);
      await changePlan(one.organizationId, (subscription) => ({ ...subscription }), changes);
      await createKey({ organizationId: other.organizationId, name: 'more' }, changes);
      await rotateKey(one.keyId, { overlapMs: 0 }, changes).catch(() => {});
      expect(await listAudit(one.organizationId, { limit: 100 }, changes)).toEqual(before);
      await expect(listAudit('org_none', { limit: 1 }, changes)).rejects.toMatchObject({ code: 'not_found' });
    });

    test('is written with the change or not at all', async () => {
      const database = await openDatabase(subject.url());
      const accounts = await openAccountsOn(database);
      const { organizationId, keyId, key } = await addCustomer(accounts);
      await sql`alter table audit_log rename to audit_log_away`.execute(database.kysely);
      const changes = accounts.as(SYSTEM);
      const attempts = [
        () => createOrganization({ name: 'Unseen' }, changes),
        () => createKey({ organizationId, name: 'unseen' }, changes),
        () => rotateKey(keyId, { overlapMs: 0 }, changes),
        () => revokeKey(keyId, changes),
        () => changePlan(organizationId, () => ({ ...NO_SUBSCRIPTION, plan: 'builder' }), changes),
      ];
      for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'unavailable' });
      await sql`alter table audit_log_away rename to audit_log`.execute(database.kysely);
      expect(await listKeys(organizationId, changes)).toMatchObject([{ id: keyId, revokedAt: null, expiresAt: null }]);
      expect(await accounts.authenticate(key)).toMatchObject({ terms: { plan: 'community' } });
      expect((await listOrganizations(changes)).map(({ name }) => name)).not.toContain('Unseen');
      await accounts.close();
      await database.close();
    });
  });
}
