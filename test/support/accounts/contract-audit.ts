import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openAccountsOn } from '../../../api/accounts/open-accounts.ts';
import { NO_SUBSCRIPTION } from '../../../api/accounts/plans/terms.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import { addCustomer, type Subject, TestClock } from './subject.ts';

export function describeAudit(subject: Subject): void {
  describe('the audit log', () => {
    test('has a line for each change with who, when and what, newest first, and no secret', async () => {
      const clock = new TestClock('2026-11-20T12:00:00Z');
      const accounts = await subject.open({ clock: clock.now });
      const administration = accounts.administration.as('cli:ada');
      const { id: org } = await administration.createOrganization('Acme');
      const builder = { ...NO_SUBSCRIPTION, plan: 'builder', contract: { daily_quota: null } } as const;
      await administration.changePlan(org, () => builder);
      const first = await administration.createKey(org, 'production');
      const { issued } = await administration.rotateKey(first.id, { overlapMs: 1000 });
      await administration.revokeKey(first.id);
      const entries = await administration.listAudit(org, { limit: 100 });
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
      expect(await administration.listAudit(org, { limit: 2 })).toEqual(entries.slice(0, 2));
    });

    test('names the address that somebody acted from', async () => {
      const accounts = await subject.open();
      const { administration } = accounts;
      const { organizationId } = await addCustomer(accounts);
      await administration.as('person:ada@example.com', '203.0.113.7').createKey(organizationId, 'production');
      const [newest, before] = await administration.listAudit(organizationId, { limit: 2 });
      expect(newest).toMatchObject({ actor: 'person:ada@example.com', action: 'key.create', origin: '203.0.113.7' });
      expect(before).toMatchObject({ actor: 'system', origin: null });
    });

    test('says nothing about what changed nothing, and nothing about other organizations', async () => {
      const accounts = await subject.open();
      const [one, other] = [await addCustomer(accounts), await addCustomer(accounts)];
      const { administration } = accounts;
      await administration.revokeKey(one.keyId);
      const before = await administration.listAudit(one.organizationId, { limit: 100 });
      await administration.revokeKey(one.keyId);
      await administration.changePlan(one.organizationId, (subscription) => ({ ...subscription }));
      await administration.createKey(other.organizationId, 'more');
      await administration.rotateKey(one.keyId, { overlapMs: 0 }).catch(() => {});
      expect(await administration.listAudit(one.organizationId, { limit: 100 })).toEqual(before);
      await expect(administration.listAudit('org_none', { limit: 1 })).rejects.toMatchObject({ code: 'not_found' });
    });

    test('is written with the change or not at all', async () => {
      const database = await openDatabase(subject.url());
      const accounts = await openAccountsOn(database);
      const { organizationId, keyId, key } = await addCustomer(accounts);
      await sql`alter table audit_log rename to audit_log_away`.execute(database.kysely);
      const { administration } = accounts;
      const changes = [
        () => administration.createOrganization('Unseen'),
        () => administration.createKey(organizationId, 'unseen'),
        () => administration.rotateKey(keyId, { overlapMs: 0 }),
        () => administration.revokeKey(keyId),
        () => administration.changePlan(organizationId, () => ({ ...NO_SUBSCRIPTION, plan: 'builder' })),
      ];
      for (const change of changes) await expect(change()).rejects.toMatchObject({ code: 'unavailable' });
      await sql`alter table audit_log_away rename to audit_log`.execute(database.kysely);
      expect(await administration.listKeys(organizationId)).toMatchObject([
        { id: keyId, revokedAt: null, expiresAt: null },
      ]);
      expect(await accounts.authenticate(key)).toMatchObject({ terms: { plan: 'community' } });
      expect((await administration.listOrganizations()).map(({ name }) => name)).not.toContain('Unseen');
      await accounts.close();
      await database.close();
    });
  });
}
