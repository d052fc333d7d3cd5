import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import { openAccounts, openAccountsOn } from '../../../api/accounts/open-accounts.ts';
import { listKeys } from '../../../api/accounts/organizations/keys.ts';
import { createOrganization, listOrganizations } from '../../../api/accounts/organizations/organizations.ts';
import { MIGRATIONS_TABLE } from '../../../api/database/migrate.ts';
import { openDatabase } from '../../../api/database/open-database.ts';
import { addCustomer, callerOf, times } from './subject.ts';

/** All that the version before had. */
const TABLES_BEFORE = [
  'organizations',
  'subscriptions',
  'api_keys',
  'daily_usage',
  'idempotency_keys',
  'verified_integrations',
];

/** `another` makes an empty database and gives its address. */
export function describeDatabase(another: () => Promise<string>): void {
  describe('the control database', () => {
    test('keeps what it holds when it is opened again', async () => {
      const url = await another();
      const first = await openAccounts(url);
      const created = await createOrganization({ name: 'Acme' }, first.as(SYSTEM));
      await first.close();
      const second = await openAccounts(url);
      expect(await listOrganizations(second.as(SYSTEM))).toEqual([created]);
      await second.close();
    });

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
        if (!TABLES_BEFORE.includes(name) && !name.startsWith(MIGRATIONS_TABLE))
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
      await sql`insert into ${sql.table(MIGRATIONS_TABLE)} (name, timestamp) values ('9999-future', 'x')`.execute(
        database.kysely,
      );
      await database.close();
      await expect(openAccounts(url)).rejects.toMatchObject({
        code: 'configuration',
        message: expect.stringMatching(/newer version of modelstats \(9999-future\)/),
      });
    });
  });
}
