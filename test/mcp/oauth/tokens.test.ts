import { beforeAll, describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import { openAccounts } from '../../../api/accounts/open-accounts.ts';
import { createKey } from '../../../api/accounts/organizations/keys.ts';
import { changePlan, listAudit } from '../../../api/accounts/organizations/organizations.ts';
import { listConnections } from '../../../api/accounts/people/connections.ts';
import { addMember, listMembers, removeMember } from '../../../api/accounts/people/memberships.ts';
import { PUBLIC_URL, useConsole } from '../../support/console/use-console.ts';
import {
  callWith,
  codeIn,
  errorIn,
  openProgram,
  postForm,
  registerProgram,
  registerWith,
  type Tokens,
} from '../../support/mcp/oauth-program.ts';

const console = useConsole();

/** A program, and a code that its user has it brought. */
async function opened() {
  const { org, visitor, program } = await openProgram(console);
  return { org, visitor, program, code: codeIn(await program.askUser(visitor, { organization: org })) };
}

/** A program that is connected. */
async function connected() {
  const { code, ...others } = await opened();
  return { ...others, tokens: (await others.program.exchange(code)).json<Tokens>() };
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
const overApi = (token: string) =>
  console.api.app.inject({ url: '/v1/models', headers: { authorization: `Bearer ${token}` } });
const rename = (from: string, to: string) => console.database.kysely.schema.alterTable(from).renameTo(to).execute();

test('a token is good for MCP alone: on the API it is refused as no key would be known', async () => {
  const { tokens } = await connected();
  expect(await statusOf(tokens.access_token)).toBe(200);
  for (const token of [tokens.access_token, tokens.refresh_token]) {
    const answer = await overApi(token);
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  }
  expect(await statusOf(tokens.refresh_token)).toBe(401);
});

test('a code is good once; when it comes again, what it brought is refused too', async () => {
  const { program, code } = await opened();
  const { access_token: token } = (await program.exchange(code)).json<Tokens>();
  expect(await statusOf(token)).toBe(200);
  expect(errorIn(await program.exchange(code))).toEqual([400, 'invalid_grant']);
  console.accounts.forgetCredentials();
  expect(await statusOf(token)).toBe(401);
});

test('a code is good for ten minutes', async () => {
  const begun = Date.now();
  const { program, code } = await opened();
  const codes = await console.database.kysely.selectFrom('verifications').select(['value', 'expires_at']).execute();
  const stored = codes.find(({ value }) => value.includes(program.clientId));
  const minutes = (new Date(stored?.expires_at ?? 0).getTime() - begun) / 60_000;
  expect(Math.round(minutes)).toBe(10);
  await expire('verifications');
  expect((await program.exchange(code)).statusCode).toBe(400);
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
  const other = await registerProgram(console);
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
  const tables = ['oauth_access_tokens', 'oauth_refresh_tokens', 'verifications', 'connections'] as const;
  const rows = tables.map((table) => console.database.kysely.selectFrom(table).selectAll().execute());
  const text = JSON.stringify(await Promise.all(rows));
  expect(text).toContain('oauth');
  for (const token of [tokens.access_token, tokens.refresh_token]) expect(text).not.toContain(token);
});

test('a quota of 10 is shared by a key, a key over MCP and a connection: exactly 10 answers', async () => {
  const { org, tokens } = await connected();
  const changes = console.accounts.as(SYSTEM);
  const contract = { daily_quota: 10, burst_per_minute: 10_000 };
  await changePlan(org, (before) => ({ ...before, contract }), changes);
  const { key } = await createKey({ organizationId: org, name: 'test', expiresAt: null }, changes);
  const overHttp = async () => (await overApi(key)).statusCode === 200;
  const overMcp = async (credential: string) => {
    const answer = await callWith(console, credential, { name: 'list-models', arguments: { limit: 1 } });
    return answer.statusCode === 200 && !answer.body.includes('"isError":true');
  };
  const asked = Array.from({ length: 12 }, () => [overHttp(), overMcp(key), overMcp(tokens.access_token)]).flat();
  expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(10);
  expect((await callWith(console, tokens.access_token)).body).toContain('"used":10');
  const report = await console.accounts.readUsage(org, { from: '2026-06-03', to: '2026-06-03' });
  const [connection] = await listConnections(org, console.people.as(SYSTEM));
  expect(report.keys).toContainEqual(expect.objectContaining({ key_id: connection?.id, key_name: 'Agent of Acme' }));
  const sources = report.client_sources.map(({ client_source }) => client_source).sort();
  expect(sources).toEqual(['api_key', 'mcp_api_key', 'mcp_oauth']);
});

test('while the control database does not do its work programs are told to wait, and keep what they have', async () => {
  const { org, visitor, program, tokens } = await connected();
  const code = codeIn(await program.askUser(visitor, { organization: org }));
  await rename('oauth_clients', 'out_of_order');
  const answers = [
    await visitor.get(program.authorizeUrl()),
    await program.exchange(code),
    await program.refresh(tokens.refresh_token),
    await program.revoke(tokens.access_token),
    await registerWith(console, { redirect_uris: [program.redirect] }),
  ];
  await rename('out_of_order', 'oauth_clients');
  const told = {
    error: 'temporarily_unavailable',
    error_description: 'The service is temporarily unavailable; try again in a moment',
  };
  expect(answers.map((answer) => [answer.statusCode, answer.headers['cache-control'], answer.json()])).toEqual(
    answers.map(() => [503, 'no-store', told]),
  );
  expect((await program.refresh(tokens.refresh_token)).statusCode).toBe(200);
});

test('a person whose answer can not be kept is told so, and can answer again', async () => {
  const { org, visitor, program } = await openProgram(console);
  await rename('connections', 'out_of_order');
  await expect(program.askUser(visitor, { organization: org })).rejects.toThrow(/^not sent away: 503/);
  await rename('out_of_order', 'connections');
  expect((await program.connect(visitor, org)).token_type).toBe('Bearer');
});

describe('what the token endpoint refuses, and in which words (RFC 6749, 5.2; RFC 7636, 4.6)', () => {
  let refused: Awaited<ReturnType<typeof openProgram>>;
  beforeAll(async () => {
    refused = await openProgram(console);
  });

  test.each([
    ['a wrong verifier', { code_verifier: 'a'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['another code', { code: 'none' }, 'invalid_grant'],
    ['no code', { code: '' }, 'invalid_request'],
    ['another address to return to', { redirect_uri: 'http://127.0.0.1:9/other' }, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no grant', { grant_type: '' }, 'invalid_request'],
    ['an unknown program', { client_id: 'none' }, 'invalid_client'],
    ['an unknown program without a code', { client_id: 'none', code: 'none' }, 'invalid_client'],
  ])('%s is refused as 400', async (_, changes, error) => {
    const { org, visitor, program } = refused;
    const code = codeIn(await program.askUser(visitor, { organization: org }));
    const answer = await program.exchange(code, changes);
    expect([answer.statusCode, answer.json()]).toEqual([400, { error, error_description: expect.any(String) }]);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('a code brings nothing to another program', async () => {
    const { code } = await opened();
    const other = await registerProgram(console);
    expect(errorIn(await other.exchange(code))).toEqual([400, 'invalid_grant']);
  });

  test('a code whose person has signed out meanwhile is a grant that is over, not a wrong request', async () => {
    const { program, code } = await opened();
    await console.database.kysely.deleteFrom('sessions').execute();
    expect(errorIn(await program.exchange(code))).toEqual([400, 'invalid_grant']);
  });

  test('a program that proves itself by a header, and fails, is refused as 401 with a challenge', async () => {
    for (const authorization of [`Basic ${btoa('none:wrong')}`, 'Basic %%%', 'Basic ']) {
      const answer = await postForm(
        console,
        '/oauth2/token',
        { grant_type: 'refresh_token', refresh_token: 'none' },
        { authorization },
      );
      expect(errorIn(answer), authorization).toEqual([401, 'invalid_client']);
      expect(answer.headers['www-authenticate']).toBe('Basic realm="modelstats"');
    }
  });

  test('a parameter that comes twice is a wrong request', async () => {
    const answer = await postForm(
      console,
      '/oauth2/token',
      'grant_type=refresh_token&refresh_token=a&refresh_token=b&client_id=c',
    );
    expect(errorIn(answer)).toEqual([400, 'invalid_request']);
  });

  test('a description has the characters that RFC 6749 allows', async () => {
    const answer = await postForm(console, '/oauth2/token', { grant_type: 'what"\\\n\u{1f600}', client_id: 'none' });
    expect(answer.json<{ error_description: string }>().error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  test('a refresh token that is unknown, and a scope that there is not, are refused by their names', async () => {
    const { program, tokens } = await connected();
    expect(errorIn(await program.refresh('none'))).toEqual([400, 'invalid_grant']);
    expect(errorIn(await program.refresh(tokens.refresh_token, { scope: 'write' }))).toEqual([400, 'invalid_scope']);
  });
});
