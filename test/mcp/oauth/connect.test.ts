import { expect, test } from 'vitest';
import { PUBLIC_URL, useConsole } from '../../support/console/use-console.ts';
import { callWith, OAuthProgram, pathOf, registerWith } from '../../support/mcp/oauth-program.ts';

const console = useConsole();

test('a program that registers itself is connected by a person and asks for the organization that they chose', async () => {
  const org = await console.organization({ 'ada@example.com': 'owner' });
  const program = await OAuthProgram.register(console);
  const to = await program.askUser(await console.signIn('ada@example.com'), { organization: org });
  expect(`${to.origin}${to.pathname}`).toBe(program.redirect);
  expect(Object.fromEntries(to.searchParams)).toEqual({
    code: expect.any(String),
    state: 'what it remembers',
    iss: PUBLIC_URL,
  });
  const tokens = await program.exchange(to.searchParams.get('code') ?? '');
  expect(tokens.json()).toMatchObject({
    access_token: expect.stringMatching(/^msk_mcp_/),
    refresh_token: expect.stringMatching(/^msk_refresh_/),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'read offline_access',
  });
  const called = await callWith(console, tokens.json<{ access_token: string }>().access_token);
  expect(called.statusCode, called.body).toBe(200);
  expect(called.body).toContain('mcp_oauth');
});

test('who is not signed in signs in first and comes back to the question', async () => {
  const org = await console.organization({ 'ada@example.com': 'owner' });
  const program = await OAuthProgram.register(console);
  const asked = pathOf(await console.stranger().get(program.authorizeUrl()));
  const signIn = pathOf(await console.stranger().get(asked));
  const next = new URL(signIn, PUBLIC_URL).searchParams.get('next') ?? '';
  const visitor = await console.signIn('ada@example.com');
  const again = pathOf(await visitor.get(next));
  const to = await program.askUser(visitor, { organization: org, url: again });
  expect((await program.exchange(to.searchParams.get('code') ?? '')).statusCode).toBe(200);
});

test('the question is asked each time, and names the program as text', async () => {
  const org = await console.organization({ 'ada@example.com': 'owner' });
  const visitor = await console.signIn('ada@example.com');
  const program = await OAuthProgram.register(console, { client_name: '<b>Claude</b>\u202e by us' });
  await program.connect(visitor, org);
  const page = await visitor.get(pathOf(await visitor.get(program.authorizeUrl({ prompt: 'none' }))));
  expect(page.statusCode).toBe(200);
  expect(page.body).toContain('Connect &lt;b>Claude&lt;/b>  by us?');
  expect(page.body).toContain('goes to this computer');
});

test.each([
  ['http://[::1]:4567/callback', 'this computer'],
  ['https://a;frame-ancestors/callback', 'a;frame-ancestors'],
  ['https://editor.example:8443/callback', 'editor.example:8443'],
  ['com.example.app:/callback', 'the app of com.example.app:'],
  ['cursor://anysphere.cursor-mcp/oauth/callback', 'the app of cursor:'],
])('a program at %s is told by a page that goes there, after one that said so', async (redirect, place) => {
  const organization = await console.organization({ 'ada@example.com': 'owner' });
  const visitor = await console.signIn('ada@example.com');
  const program = await OAuthProgram.register(console, { redirect });
  const page = await visitor.get(pathOf(await visitor.get(program.authorizeUrl())));
  expect(page.body).toContain(`goes to ${place}`);
  const to = await program.askUser(visitor, { organization });
  expect(to.href.slice(0, redirect.length + 6)).toBe(`${redirect}?code=`);
  expect((await program.exchange(to.searchParams.get('code') ?? '')).statusCode).toBe(200);
});

test('an app of another scheme, and what only looks like a known one, is not registered', async () => {
  for (const redirect of [
    'myapp://callback',
    'cursor:callback',
    'cursor://x/?a=1',
    'cursor://user@x/cb',
    'ms-msdt:/id',
  ])
    expect((await registerWith(console, { redirect_uris: [redirect] })).statusCode, redirect).toBe(400);
});

test('who does not allow it sends the program away without a code', async () => {
  const org = await console.organization({ 'ada@example.com': 'owner' });
  const program = await OAuthProgram.register(console);
  const to = await program.askUser(await console.signIn('ada@example.com'), { organization: org, answer: 'deny' });
  expect(to.searchParams.get('error')).toBe('access_denied');
  expect(await console.people.connections.list(org)).toEqual([]);
});

test('somebody of no organization, and of another one, connects nothing', async () => {
  const [own, other] = [
    await console.organization({ 'ada@example.com': 'owner' }),
    await console.organization({ 'bob@example.com': 'owner' }),
  ];
  const program = await OAuthProgram.register(console);
  const ada = await console.signIn('ada@example.com');
  const page = pathOf(await ada.get(program.authorizeUrl()));
  const query = page.slice(page.indexOf('?') + 1);
  const refused = await ada.post('/console/connect', { query, organization: other, answer: 'allow' }, { from: page });
  expect(refused.statusCode).toBe(404);
  const loner = await console.signIn('carol@example.com');
  const lonely = await loner.get(pathOf(await loner.get(program.authorizeUrl())));
  expect(lonely.body).toContain('You belong to no organization yet');
  for (const org of [own, other]) expect(await console.people.connections.list(org)).toEqual([]);
});

test('a request that was changed, or is over, connects nothing', async () => {
  const org = await console.organization({ 'ada@example.com': 'owner' });
  const visitor = await console.signIn('ada@example.com');
  const program = await OAuthProgram.register(console);
  const page = pathOf(await visitor.get(program.authorizeUrl()));
  const query = page.slice(page.indexOf('?') + 1);
  const changed = query.replace(encodeURIComponent(program.redirect), encodeURIComponent('https://evil.example'));
  expect(changed).not.toBe(query);
  const refused = await visitor.post(
    '/console/connect',
    { query: changed, organization: org, answer: 'allow' },
    { from: page },
  );
  expect([refused.statusCode, refused.headers.location]).toEqual([422, undefined]);
  expect(refused.body).toContain('this request is over');
  const old = await visitor.get(`/console/connect?${query.replace(/exp=\d+/, 'exp=1000')}`);
  expect(old.statusCode).toBe(410);
  expect(await console.people.connections.list(org)).toEqual([]);
});

test('a foreign address to return to, and an unknown program, end on a page that says so', async () => {
  const visitor = await console.signIn('ada@example.com');
  const program = await OAuthProgram.register(console);
  for (const changes of [{ redirect_uri: 'https://evil.example/cb' }, { client_id: 'unknown' }]) {
    const answer = await visitor.get(program.authorizeUrl(changes));
    const page = await visitor.get(pathOf(answer));
    expect([page.statusCode, page.body.includes('Not connected')]).toEqual([400, true]);
  }
});

test('without PKCE, with a plain challenge, or for another resource the program is told so', async () => {
  const visitor = await console.signIn('ada@example.com');
  const program = await OAuthProgram.register(console);
  const errors: (string | null)[] = [];
  for (const changes of [
    { code_challenge: '' },
    { code_challenge_method: 'plain' },
    { resource: 'https://other.example/mcp' },
    { scope: 'write' },
  ])
    errors.push(
      new URL((await visitor.get(program.authorizeUrl(changes))).headers.location ?? '').searchParams.get('error'),
    );
  expect(errors).toEqual(['invalid_request', 'invalid_request', 'invalid_target', 'invalid_scope']);
});
