import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../database/open-database.ts';
import { answersFrom, callCli } from '../support/processes/cli.ts';

let folder: string;
let database: string;
let org: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-members-'));
  database = `sqlite:${join(folder, 'accounts.db')}`;
  org = String((await ask('orgs', 'create', '--name', 'Acme'))['id']);
});
afterEach(() => rm(folder, { recursive: true }));

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return callCli(args, { env: { MODELSTATS_DATABASE: database, ...env }, cwd: folder });
}

/** The one JSON object that a command answers. */
async function ask(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const result = await run([...args, '--json']);
  expect(result.code, result.stderr).toBe(0);
  const answers = answersFrom(result.stdout);
  expect(answers).toHaveLength(1);
  return answers[0] ?? {};
}

test('an operator adds, lists, invites and removes members', async () => {
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
  const invitation = await ask('members', 'invite', org, 'eve@example.com', '--role', 'owner');
  expect(Object.keys(invitation)).toEqual([
    'id',
    'organization_id',
    'email',
    'role',
    'invited_by',
    'created_at',
    'expires_at',
  ]);
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
  expect((await run(['members', 'list', org])).stdout).toContain(`modelstats members add ${org} EMAIL`);
  const added = await run(['members', 'add', org, 'ada@example.com']);
  expect(added.stdout).toMatch(/ada@example\.com.*member[\s\S]*sign in with a link/);
  const invited = await run(['members', 'invite', org, 'eve@example.com']);
  expect(invited.stdout).toContain('eve@example.com');
  expect(invited.stderr).toMatch(
    /MODELSTATS_SMTP is not set .*http:\/\/127\.0\.0\.1:8080\/console\/invitations\/accept\?token=/,
  );
  const listed = await run(['orgs', 'members', org]);
  expect(listed.stdout).toMatch(/ada@example\.com[\s\S]*eve@example\.com/);
});

test('a mail that the server does not take is told, with exit code 1', async () => {
  const result = await run(['members', 'invite', org, 'eve@example.com'], { MODELSTATS_SMTP: 'smtp://127.0.0.1:1' });
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/a mail could not be sent .*eve@example\.com/);
});

test.each([
  [['list', 'org_none'], /there is no organization org_none/],
  [['add', 'org_none', 'ada@example.com'], /there is no organization org_none/],
  [['add', 'ORG', 'ada'], /no address of mail/],
  [['add', 'ORG', 'ada@example.com', '--role', 'boss'], /must be one of owner, member/],
  [['remove', 'ORG', 'ada@example.com'], /ada@example\.com does not belong to org_/],
  [['revoke', 'ORG', 'ada@example.com'], /ada@example\.com has no open invitation of org_/],
  [['remove-password', 'ada@example.com'], /there is no person ada@example\.com/],
])('members %j says what is wrong and where, and ends with 2', async (words, message) => {
  const result = await run(['members', ...words.map((word) => (word === 'ORG' ? org : word))]);
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
});

test('a forgotten password is taken away, and its sessions end', async () => {
  const { person_id } = await ask('members', 'add', org, 'ada@example.com', '--role', 'owner');
  const without = await run(['members', 'remove-password', 'ada@example.com']);
  expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('has no password') });
  const opened = await openDatabase(database);
  const at = new Date().toISOString();
  const times = { created_at: at, updated_at: at };
  const of = { person_id: String(person_id), account_id: String(person_id), provider_id: 'credential', password: 'x' };
  await opened.kysely
    .insertInto('sign_in_accounts')
    .values({ id: 'account_1', ...of, ...times })
    .execute();
  const session = { id: 'session_1', token: 't', person_id: String(person_id), expires_at: at };
  await opened.kysely
    .insertInto('sessions')
    .values({ ...session, ...times })
    .execute();
  expect(await ask('members', 'remove-password', 'ada@example.com')).toEqual({ person_id, email: 'ada@example.com' });
  for (const table of ['sign_in_accounts', 'sessions'] as const)
    expect(await opened.kysely.selectFrom(table).selectAll().execute()).toEqual([]);
  await opened.close();
  const { entries } = await ask('orgs', 'audit', '--limit', '1');
  expect(entries).toMatchObject([
    { action: 'person.remove_password', subject_id: person_id, details: { email: 'ada@example.com' } },
  ]);
});
