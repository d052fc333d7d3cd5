import { expect, test } from 'vitest';
import { openDatabase } from '../../api/database/open-database.ts';
import { useCli } from '../support/processes/use-cli.ts';

const { database, run, ask } = useCli();

test('an operator lists connections and ends one; what is none of the organization is refused', async () => {
  const org = String((await ask('orgs', 'create', '--name', 'Acme'))['id']);
  const { person_id } = await ask('members', 'add', org, 'ada@example.com');
  expect((await run('connections', 'list', org)).stdout).toBe('no connections yet\n');
  await connect({ organization_id: org, person_id: String(person_id) });

  const connection = {
    id: 'connection_1',
    organization_id: org,
    client: 'Agent of Acme',
    email: 'ada@example.com',
    created_at: '2026-06-01T00:00:00Z',
    last_used_at: null,
  };
  expect(await ask('connections', 'list', org)).toEqual({ connections: [connection] });
  expect((await run('connections', 'list', org)).stdout).toMatch(
    /connection_1 .*Agent of Acme .*ada@example.com .*never/,
  );
  const wrong = await run('connections', 'revoke', org, 'connection_2');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(`connection_2 is no connection of ${org}`)]);
  expect(await ask('connections', 'revoke', org, 'connection_1')).toEqual(connection);
  expect(await ask('connections', 'list', org)).toEqual({ connections: [] });
  const { entries } = await ask('orgs', 'audit', org);
  expect(entries).toContainEqual(expect.objectContaining({ action: 'connection.revoke', subject_id: 'connection_1' }));
});

async function connect(of: { readonly organization_id: string; readonly person_id: string }): Promise<void> {
  const { kysely, close } = await openDatabase(database());
  const at = '2026-06-01T00:00:00.000Z';
  const client = { id: 'client_1', client_id: 'client_1', name: 'Agent of Acme', redirect_uris: '[]' };
  await kysely.insertInto('oauth_clients').values(client).execute(); // Its other columns may be null.
  const connection = { ...of, id: 'connection_1', client_id: 'client_1', scopes: '[]', created_at: at, updated_at: at };
  await kysely.insertInto('connections').values(connection).execute();
  await close();
}
