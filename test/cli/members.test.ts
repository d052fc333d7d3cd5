import { expect, test } from 'vitest';
import { openDatabase } from '../../api/database/open-database.ts';
import { useCli } from '../support/processes/use-cli.ts';

const { database, run, runWith, ask } = useCli();
const newOrg = async () => String((await ask('orgs', 'create', '--name', 'Acme'))['id']);

test('an operator adds, lists, invites and removes members', async () => {
  const org = await newOrg();
  const ada = await ask('members', 'add', org, 'Ada@Example.com', '--role', 'owner');
  expect(ada).toEqual({
    organization_id: org,
    person_id: expect.stringMatching(/^person_/),
    email: 'ada@example.com',
    role: 'owner',
    since: expect.stringMatching(/Z$/),
  });
  const bob = await ask('members', 'add', org, 'bob@example.com');
  expect(bob).toMatchObject({ email: 'bob@example.com', role: 'member' });
  const invited = await run('members', 'invite', org, 'eve@example.com', '--role', 'owner', '--json');
  const invitation = JSON.parse(invited.stdout);
  expect(invitation).toMatchObject({ email: 'eve@example.com', role: 'owner' });
  const listed = { members: [ada, bob], invitations: [invitation] };
  expect(await ask('members', 'list', org)).toEqual(listed);
  expect(await ask('orgs', 'members', org)).toEqual(listed);
  expect(await ask('members', 'revoke', org, 'eve@example.com')).toEqual(invitation);
  expect(await ask('members', 'remove', org, 'BOB@example.com')).toEqual(bob);
  expect(await ask('members', 'list', org)).toEqual({ members: [ada], invitations: [] });
  const { entries } = await ask('orgs', 'audit', org, '--limit', '5');
  expect(entries).toMatchObject([
    { action: 'member.remove', actor: expect.stringMatching(/^cli:/), origin: null },
    { action: 'invitation.revoke' },
    { action: 'member.invite' },
    { action: 'member.add' },
    { action: 'member.add' },
  ]);
});

test('people get tables and the next step, and the link of an invitation where there is no mail server', async () => {
  const org = await newOrg();
  expect((await run('members', 'list', org)).stdout).toContain(`modelstats members add ${org} EMAIL`);
  const added = await run('members', 'add', org, 'ada@example.com');
  expect(added.stdout).toMatch(/ada@example\.com.*member[\s\S]*sign in with a link/);
  const invited = await run('members', 'invite', org, 'eve@example.com');
  expect(invited.stdout).toContain('eve@example.com');
  expect(invited.stderr).toMatch(
    /MODELSTATS_SMTP is not set .*http:\/\/127\.0\.0\.1:8080\/console\/invitations\/accept\?token=/,
  );
  const listed = await run('orgs', 'members', org);
  expect(listed.stdout).toMatch(/ada@example\.com[\s\S]*eve@example\.com/);
});

test('a mail that the server does not take is told, with exit code 1', async () => {
  const org = await newOrg();
  const down = { MODELSTATS_SMTP: 'smtp://127.0.0.1:1' };
  const result = await runWith(down, 'members', 'invite', org, 'eve@example.com');
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/an email could not be sent .*eve@example\.com/);
});

test.each([
  [['list', 'org_none'], /there is no organization org_none/],
  [['add', 'org_none', 'ada@example.com'], /there is no organization org_none/],
  [['add', 'ORG', 'ada'], /not an email address/],
  [['add', 'ORG', 'ada@example.com', '--role', 'boss'], /must be one of owner, member/],
  [['remove', 'ORG', 'ada@example.com'], /ada@example\.com is not a member of org_/],
  [['revoke', 'ORG', 'ada@example.com'], /ada@example\.com has no open invitation to org_/],
  [['remove-password', 'nobody@example.com'], /there is no person nobody@example\.com/],
])('members %j says what is wrong and where, and ends with 2', async (words, message) => {
  const org = await newOrg();
  const result = await run('members', ...words.map((word) => (word === 'ORG' ? org : word)));
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
});

test('a forgotten password is taken away, and its sessions end', async () => {
  const org = await newOrg();
  const { person_id } = await ask('members', 'add', org, 'ada@example.com', '--role', 'owner');
  const without = await run('members', 'remove-password', 'ada@example.com');
  expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('has no password') });
  const { kysely, close } = await openDatabase(database());
  const at = new Date().toISOString();
  const row = { person_id: String(person_id), created_at: at, updated_at: at };
  const account = { ...row, id: 'account_1', account_id: row.person_id, provider_id: 'credential', password: 'x' };
  await kysely.insertInto('sign_in_accounts').values(account).execute();
  await kysely
    .insertInto('sessions')
    .values({ ...row, id: 'session_1', token: 't', expires_at: at })
    .execute();
  const removed = await run('members', 'remove-password', 'ada@example.com', '--json');
  expect(JSON.parse(removed.stdout)).toEqual({ person_id, email: 'ada@example.com' });
  for (const table of ['sign_in_accounts', 'sessions'] as const)
    expect(await kysely.selectFrom(table).selectAll().execute()).toEqual([]);
  await close();
  const { entries } = await ask('orgs', 'audit', '--limit', '1');
  expect(entries).toMatchObject([
    { action: 'person.remove_password', subject_id: person_id, details: { email: 'ada@example.com' } },
  ]);
});

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
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining(`there is no connection connection_2 in ${org}`),
  ]);
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
