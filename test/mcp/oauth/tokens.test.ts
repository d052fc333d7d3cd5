import { expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import { openAccounts } from '../../../api/accounts/open-accounts.ts';
import { listAudit } from '../../../api/accounts/organizations/organizations.ts';
import { listConnections } from '../../../api/accounts/people/connections.ts';
import { addMember, listMembers, removeMember } from '../../../api/accounts/people/memberships.ts';
import { PUBLIC_URL, useConsole } from '../../support/console/use-console.ts';
import { callWith, codeIn, errorIn, OAuthProgram, openProgram, type Tokens } from '../../support/mcp/oauth-program.ts';

const console = useConsole();

async function connected() {
  const opened = await openProgram(console);
  return { ...opened, tokens: await opened.program.connect(opened.visitor, opened.org) };
}

/** What is said of a token for long lies in the past. */
const expire = (table: 'oauth_access_tokens' | 'verifications', at = new Date(Date.now() - 1)) =>
  console.database.kysely.updateTable(table).set({ expires_at: at.toISOString() }).execute();
const endReplays = () =>
  console.database.kysely
    .updateTable('oauth_refresh_tokens')
    .set({ rotation_replay_expires_at: new Date(0).toISOString() })
    .execute();

const statusOf = async (token: string | undefined) => (await callWith(console, token)).statusCode;

test('a token is good for MCP alone: on the API it is refused as no key would be known', async () => {
  const { tokens } = await connected();
  expect(await statusOf(tokens.access_token)).toBe(200);
  for (const token of [tokens.access_token, tokens.refresh_token]) {
    const answer = await console.api.app.inject({ url: '/v1/models', headers: { authorization: `Bearer ${token}` } });
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  }
  expect(await statusOf(tokens.refresh_token)).toBe(401);
});

test('a code is good once; when it comes again, what it brought is refused too', async () => {
  const { org, visitor, program } = await openProgram(console);
  const code = codeIn(await program.askUser(visitor, { organization: org }));
  const { access_token: token } = (await program.exchange(code)).json<Tokens>();
  expect(await statusOf(token)).toBe(200);
  expect(errorIn(await program.exchange(code))).toEqual([400, 'invalid_grant']);
  console.accounts.forgetCredentials();
  expect(await statusOf(token)).toBe(401);
});

test('a code is good for ten minutes', async () => {
  const { org, visitor, program } = await openProgram(console);
  const begun = Date.now();
  const to = await program.askUser(visitor, { organization: org });
  const codes = await console.database.kysely.selectFrom('verifications').select(['value', 'expires_at']).execute();
  const code = codes.find(({ value }) => value.includes(program.clientId));
  const minutes = (new Date(code?.expires_at ?? 0).getTime() - begun) / 60_000;
  expect(Math.round(minutes)).toBe(10);
  await expire('verifications');
  expect((await program.exchange(codeIn(to))).statusCode).toBe(400);
});

test('a token that has expired, or was for another address of the service, is refused', async () => {
  const { tokens } = await connected();
  const elsewhere = await openAccounts(console.api.accounts.url, { mcpResource: 'https://new.example.com/mcp' });
  expect(await elsewhere.authenticate(tokens.access_token, 'mcp')).toBeUndefined();
  await elsewhere.close();
  const here = await openAccounts(console.api.accounts.url, { mcpResource: `${PUBLIC_URL}/mcp` });
  expect(await here.authenticate(tokens.access_token, 'mcp')).toMatchObject({ clientSource: 'mcp_oauth' });
  await here.close();
  await expire('oauth_access_tokens', new Date('2026-06-03T11:59:59Z')); // By the clock of the service.
  console.accounts.forgetCredentials();
  const refused = await callWith(console, tokens.access_token);
  expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([
    401,
    `Bearer error="invalid_token", resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp", scope="read"`,
  ]);
});

test('a connection that is ended in the console is refused, and gets no new tokens', async () => {
  const { org, visitor, program, tokens } = await connected();
  const [connection] = await listConnections(org, console.people.as(SYSTEM));
  const page = `/console/orgs/${org}/connections`;
  expect((await visitor.get(page)).body).toContain('Agent of Acme');
  const answer = await visitor.post(`${page}/${connection?.id}/revoke`, {}, { from: page });
  expect([answer.statusCode, answer.headers.location]).toEqual([303, `${page}?done=revoked`]);
  console.accounts.forgetCredentials(); // As `serve` does; without it the token works for three more seconds.
  expect(await statusOf(tokens.access_token)).toBe(401);
  expect((await program.refresh(tokens.refresh_token)).json()).toMatchObject({ error: 'invalid_grant' });
  const actions = (await listAudit(org, { limit: 10 }, console.accounts.as(SYSTEM))).map(({ action }) => action);
  expect(actions.slice(0, 2)).toEqual(['connection.revoke', 'connection.create']);
});

test('a connection ends with the membership of its person', async () => {
  const { org, tokens, program } = await connected();
  const members = console.people.as({ operator: 'cli:test' });
  await addMember({ organizationId: org, email: 'bob@example.com', role: 'owner' }, members);
  const ada = (await listMembers(org, members)).find(({ person }) => person.email === 'ada@example.com');
  await removeMember({ organizationId: org, personId: ada?.person.id ?? '' }, members);
  console.accounts.forgetCredentials();
  expect(await statusOf(tokens.access_token)).toBe(401);
  expect((await program.refresh(tokens.refresh_token)).statusCode).toBe(400);
  expect(await listConnections(org, console.people.as(SYSTEM))).toEqual([]);
});

test('a refresh token is good once: the next has the same rights, and a late second use ends them all', async () => {
  const { program, tokens } = await connected();
  const next = (await program.refresh(tokens.refresh_token)).json<Tokens>();
  expect(await statusOf(next.access_token)).toBe(200);
  // A program that lost the answer asks again at once, and gets the same.
  expect((await program.refresh(tokens.refresh_token)).json()).toMatchObject({ access_token: next.access_token });
  await endReplays();
  expect((await program.refresh(tokens.refresh_token)).json()).toMatchObject({ error: 'invalid_grant' });
  expect((await program.refresh(next.refresh_token)).json()).toMatchObject({ error: 'invalid_grant' });
  console.accounts.forgetCredentials();
  expect(await statusOf(next.access_token)).toBe(401);
});

test('a refresh token is good once also where a program asks for less each time, and never brings a scope that there is not', async () => {
  const { program, tokens } = await connected();
  const next = (await program.refresh(tokens.refresh_token, { scope: 'read' })).json<Tokens>();
  const later = (await program.refresh(next.refresh_token, { scope: 'offline_access' })).json<Tokens>();
  expect([next.scope, later.scope]).toEqual(['read offline_access', 'read offline_access']);
  await endReplays();
  const more = await program.refresh(later.refresh_token, { scope: 'read write' });
  expect(more.json()).toMatchObject({ error: 'invalid_scope' });
  expect((await program.refresh(next.refresh_token)).json()).toMatchObject({ error: 'invalid_grant' });
});

test('a refresh token brings nothing to another program', async () => {
  const { tokens } = await connected();
  const other = await OAuthProgram.register(console);
  expect((await other.refresh(tokens.refresh_token)).json()).toMatchObject({ error: 'invalid_grant' });
});

test('a program gives its token back', async () => {
  const { program, tokens } = await connected();
  expect((await program.revoke(tokens.access_token)).statusCode).toBe(200);
  console.accounts.forgetCredentials();
  expect(await statusOf(tokens.access_token)).toBe(401);
});

test('neither tokens nor codes are in the database as they are', async () => {
  const { tokens } = await connected();
  const { kysely } = console.database;
  const rows = await Promise.all(
    (['oauth_access_tokens', 'oauth_refresh_tokens', 'verifications', 'connections'] as const).map((table) =>
      kysely.selectFrom(table).selectAll().execute(),
    ),
  );
  const text = JSON.stringify(rows);
  expect(text).toContain('oauth');
  for (const token of [tokens.access_token, tokens.refresh_token]) expect(text).not.toContain(token);
});
