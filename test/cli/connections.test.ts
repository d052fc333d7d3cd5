import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../database/open-database.ts';
import { answersFrom, callCli } from '../support/processes/cli.ts';

/** A process for each command, one after the other. */
vi.setConfig({ testTimeout: 60_000 });

test('an operator lists connections and ends one; what is none of the organization is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-connections-'));
  const url = `sqlite:${join(folder, 'accounts.db')}`;
  const run = (...args: readonly string[]) => callCli(args, { env: { MODELSTATS_DATABASE: url }, cwd: folder });
  const ask = async (...args: readonly string[]) => answersFrom((await run(...args, '--json')).stdout)[0] ?? {};
  const org = String((await ask('orgs', 'create', '--name', 'Acme'))['id']);
  const { person_id } = await ask('members', 'add', org, 'ada@example.com');
  expect((await run('connections', 'list', org)).stdout).toBe('no connections yet\n');
  await connect(url, { organization_id: org, person_id: String(person_id) });

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
  await rm(folder, { recursive: true });
});

async function connect(
  url: string,
  of: { readonly organization_id: string; readonly person_id: string },
): Promise<void> {
  const { kysely, close } = await openDatabase(url);
  const at = '2026-06-01T00:00:00.000Z';
  const client = { id: 'client_1', client_id: 'client_1', name: 'Agent of Acme', redirect_uris: '[]' };
  await kysely.insertInto('oauth_clients').values(client).execute(); // Its other columns may be null.
  const connection = { ...of, id: 'connection_1', client_id: 'client_1', scopes: '[]', created_at: at, updated_at: at };
  await kysely.insertInto('connections').values(connection).execute();
  await close();
}
