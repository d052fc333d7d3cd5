import { userInfo } from 'node:os';
import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { runCli } from '../../test/support/processes/cli.ts';
import { describePostgres } from '../../test/support/processes/postgres-server.ts';
import { describeControlDatabase } from './database.contract.ts';
import { openDatabase } from './open-database.ts';

describePostgres('with a PostgreSQL server', (server, another) => {
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: server().urlOf('postgres') });
    await client.connect();
    await client.query(text);
    await client.end();
  };

  describeControlDatabase('PostgreSQL', another);

  describe('a PostgreSQL that refuses', () => {
    const guestOf = (password: string) => server().urlOf('postgres').replace('modelstats@', `guest:${password}@`);

    beforeAll(async () => {
      await query("create role guest login password 'open-sesame'");
      await server().askForPasswords('guest');
    });

    test.each<[string, () => string, string]>([
      ['a wrong password', () => guestOf('wrong-word'), 'check role and password in MODELSTATS_DATABASE'],
      ['nobody without a password', () => guestOf('').replace(':@', '@'), 'the server requires a password'],
      ['a database that is not there', () => server().urlOf('nowhere'), 'create the database (createdb NAME)'],
      [
        'a role that is not there',
        () => server().urlOf('postgres').replace('modelstats@', 'nobody@'),
        'create the role',
      ],
      ["somebody else's database", () => guestOf('open-sesame'), 'the role must own the database'],
      ['TLS', () => `${server().urlOf('postgres')}?sslmode=verify-full`, 'remove sslmode'],
    ])('%s is a configuration error that says what to do and no password', async (_, url, hint) => {
      const opened = openDatabase(url());
      await expect(opened).rejects.toMatchObject({ code: 'configuration', message: expect.stringContaining(hint) });
      await expect(opened).rejects.not.toMatchObject({ message: expect.stringMatching(/wrong-word|open-sesame/) });
    });

    test('and one that is not there may come back', async () => {
      const opened = openDatabase('postgres://modelstats@127.0.0.1:1/accounts');
      const message = expect.stringContaining('connect ECONNREFUSED 127.0.0.1:1; check whether PostgreSQL runs there');
      await expect(opened).rejects.toMatchObject({ code: 'unavailable', message });
    });
  });

  test('is opened through its socket, with the folder in the host or in the query', async () => {
    for (const address of server().socketAddressesOf('postgres')) {
      const { kysely, close } = await openDatabase(address);
      expect(await kysely.selectFrom('organizations').select('id').execute(), address).toEqual([]);
      await close();
    }
  });

  test('is opened as PGUSER, else as the user of the operating system, where its address names none', async () => {
    const { username } = userInfo();
    await query(`create role ${pg.escapeIdentifier(username)} login superuser`);
    for (const address of server().addressesWithoutUser('postgres')) {
      for (const user of ['modelstats', username]) {
        vi.stubEnv('PGUSER', user === username ? '' : user);
        const { kysely, close } = await openDatabase(address);
        const { rows } = await sql<{ name: string }>`select current_user as name`.execute(kysely);
        expect(rows, address).toEqual([{ name: user }]);
        await close();
      }
      // As a service manager runs it.
      const env = { MODELSTATS_DATABASE: address, USER: 'somebody-else' };
      expect(await runCli(['orgs', 'list', '--json'], { env })).toMatchObject({ code: 0, stderr: '' });
    }
    vi.unstubAllEnvs();
  });
});
