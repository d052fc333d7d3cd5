import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import { openAccounts, openAccountsOn } from '../../../api/accounts/open-accounts.ts';
import { createKey, listKeys, revokeKey, rotateKey } from '../../../api/accounts/organizations/keys.ts';
import {
  changePlan,
  createOrganization,
  listAudit,
  listOrganizations,
} from '../../../api/accounts/organizations/organizations.ts';
import { NO_SUBSCRIPTION } from '../../../api/accounts/organizations/terms.ts';
import { MIGRATIONS_TABLE } from '../../../api/database/migrate.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import { addCustomer, callerOf, type Subject, TestClock, times } from './subject.ts';

/** All that the version before had. */
const TABLES_BEFORE = /^(organizations|subscriptions|api_keys|daily_usage|idempotency_keys|verified_integrations)$/;

/** `another` makes an empty database and gives its address. */
export function describeDatabase(another: () => Promise<string>): void {
  describe('the control database', () => {
    test('gives its secret once: ten that ask at the same time get the same, and so does whoever opens it later', async () => {
      const url = await another();
      const opened = await times(10, () => openAccounts(url));
      const secrets = await Promise.all(opened.map((accounts) => accounts.secret('file-links')));
      await Promise.all(opened.map((accounts) => accounts.close()));
      const later = await openAccounts(url);
      secrets.push(await later.secret('file-links'));
      await later.close();
      expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(1);
      expect(secrets[0]).toHaveLength(32);
      const stranger = await openAccounts(await another());
      expect(await stranger.secret('file-links')).not.toEqual(secrets[0]);
      await stranger.close();
    });

    test('of the version before keeps its organizations, keys and usage', async () => {
      const url = await another();
      const database = await openDatabase(url);
      const before = await openAccountsOn(database);
      const { key, caller, organizationId } = await addCustomer(before, { contract: { daily_quota: 5 } });
      await before.quota.reserve(await caller());
      await before.close();
      // On PostgreSQL with what refers to a table; SQLite drops a table that others refer to, as nothing lies in them.
      const cascade = sql.raw(database.engine.kind === 'postgres' ? 'cascade' : '');
      for (const { name } of await database.kysely.introspection.getTables())
        if (!TABLES_BEFORE.test(name) && !name.startsWith(MIGRATIONS_TABLE))
          await sql`drop table ${sql.table(name)} ${cascade}`.execute(database.kysely);
      await sql`insert into verified_integrations (id, organization_id, url, verified_at)
        values ('int_1', ${organizationId}, 'https://example.com/', 1)`.execute(database.kysely);
      await sql`drop index organizations_by_created_by`.execute(database.kysely);
      await sql`alter table organizations drop column created_by`.execute(database.kysely);
      await sql`alter table organizations drop column email`.execute(database.kysely);
      await sql`alter table api_keys drop column expires_at`.execute(database.kysely);
      await sql`delete from ${sql.table(MIGRATIONS_TABLE)} where name > '0002-usage'`.execute(database.kysely);
      await database.close();
      const after = await openAccounts(url);
      const again = await callerOf(after, key);
      expect(await after.quota.usage(again)).toMatchObject({ used: 1, limit: 255 });
      expect(await listKeys(again.organizationId, after.as(SYSTEM))).toMatchObject([{ expiresAt: null }]);
      await after.close();
    });

    test('of a newer version is refused', async () => {
      const url = await another();
      const database = await openDatabase(url);
      const future = sql`insert into ${sql.table(MIGRATIONS_TABLE)} (name, timestamp) values ('9999-future', 'x')`;
      await future.execute(database.kysely);
      await database.close();
      const message = expect.stringContaining('newer version of modelstats (9999-future)');
      await expect(openAccounts(url)).rejects.toMatchObject({ code: 'configuration', message });
    });
  });
}

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
      const line = { at: clock.now(), actor: 'cli:ada', organizationId: org };
      const rotated = { new_key_id: issued.id, ends_at: '2026-11-20T12:00:01.000Z' };
      const plans = { from: { plan: 'community' }, to: { plan: 'builder', daily_quota: null } };
      expect(entries).toMatchObject([
        { ...line, action: 'key.revoke', subjectId: first.id },
        { ...line, action: 'key.rotate', subjectId: first.id, details: rotated },
        { ...line, action: 'key.create', subjectId: first.id },
        { ...line, action: 'organization.set_plan', subjectId: org, details: plans },
        { ...line, action: 'organization.create', subjectId: org },
      ]);
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
