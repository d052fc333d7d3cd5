import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { MIGRATIONS_TABLE } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import { openAccounts } from '../open-accounts.ts';
import { times } from './subject.ts';

/** `another` makes an empty database and gives its address. */
export function describeDatabase(another: () => Promise<string>): void {
  describe('the control database', () => {
    test('is made once by ten that open it at the same time', async () => {
      const url = await another();
      const opened = await times(10, () => openAccounts(url));
      await opened[0]?.administration.createOrganization('Acme');
      for (const accounts of opened)
        expect(await accounts.administration.listOrganizations()).toMatchObject([{ name: 'Acme' }]);
      await Promise.all(opened.map((accounts) => accounts.close()));
    });

    test('keeps what it holds when it is opened again', async () => {
      const url = await another();
      const first = await openAccounts(url);
      const created = await first.administration.createOrganization('Acme');
      await first.close();
      const second = await openAccounts(url);
      expect(await second.administration.listOrganizations()).toEqual([created]);
      await second.close();
    });

    test('of a newer version is refused', async () => {
      const url = await another();
      const database = await openDatabase(url);
      await sql`insert into ${sql.table(MIGRATIONS_TABLE)} (name, timestamp) values ('9999-future', 'x')`.execute(
        database.kysely,
      );
      await database.close();
      await expect(openAccounts(url)).rejects.toMatchObject({
        ...{ code: 'configuration', message: expect.stringMatching(/newer version of modelstats \(9999-future\)/) },
      });
    });
  });
}
