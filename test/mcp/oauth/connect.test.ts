import { expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import { listConnections } from '../../../api/accounts/people/connections.ts';
import { PUBLIC_URL, useConsole } from '../../support/console/use-console.ts';
import {
  callWith,
  codeIn,
  openProgram,
  pathOf,
  registerProgram,
  registerWith,
} from '../../support/mcp/oauth-program.ts';

const console = useConsole();

test('a program that registers itself is connected by a person and asks for the organization that they chose', async () => {
  const { org, visitor, program } = await openProgram(console);
  const to = await program.askUser(visitor, { organization: org });
  expect(`${to.origin}${to.pathname}`).toBe(program.redirect);
  expect(Object.fromEntries(to.searchParams)).toEqual({
    code: expect.any(String),
    state: 'what it remembers',
    iss: PUBLIC_URL,
  });
  const tokens = await program.exchange(codeIn(to));
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
  const { org, visitor, program } = await openProgram(console);
  const asked = pathOf(await console.stranger().get(program.authorizeUrl()));
  const signIn = pathOf(await console.stranger().get(asked));
  const next = new URL(signIn, PUBLIC_URL).searchParams.get('next') ?? '';
  const again = pathOf(await visitor.get(next));
  const to = await program.askUser(visitor, { organization: org, url: again });
  expect((await program.exchange(codeIn(to))).statusCode).toBe(200);
});

test('the question is asked each time, and names the program as text', async () => {
  const { org, visitor, program } = await openProgram(console, { client_name: '<b>Claude</b>\u202e by us' });
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
  const { org, visitor, program } = await openProgram(console, { redirect });
  const page = await visitor.get(pathOf(await visitor.get(program.authorizeUrl())));
  expect(page.body).toContain(`goes to ${place}`);
  const to = await program.askUser(visitor, { organization: org });
  expect(to.href.slice(0, redirect.length + 6)).toBe(`${redirect}?code=`);
  expect((await program.exchange(codeIn(to))).statusCode).toBe(200);
});

test('an app of another scheme, and what only looks like a known one, is not registered', async () => {
  const redirects = ['myapp://callback', 'cursor:callback', 'cursor://x/?a=1', 'cursor://user@x/cb', 'ms-msdt:/id'];
  for (const redirect of redirects)
    expect((await registerWith(console, { redirect_uris: [redirect] })).statusCode, redirect).toBe(400);
});

test('who does not allow it sends the program away without a code', async () => {
  const { org, visitor, program } = await openProgram(console);
  const to = await program.askUser(visitor, { organization: org, answer: 'deny' });
  expect(to.searchParams.get('error')).toBe('access_denied');
  expect(await listConnections(org, console.people.as(SYSTEM))).toEqual([]);
});

test('somebody of no organization, and of another one, connects nothing', async () => {
  const { org, visitor, program } = await openProgram(console);
  const other = await console.organization({ 'bob@example.com': 'owner' });
  const page = pathOf(await visitor.get(program.authorizeUrl()));
  const query = page.slice(page.indexOf('?') + 1);
  const fields = { query, organization: other, answer: 'allow' };
  const refused = await visitor.post('/console/connect', fields, { from: page });
  expect(refused.statusCode).toBe(404);
  const loner = await console.signIn('carol@example.com');
  const lonely = await loner.get(pathOf(await loner.get(program.authorizeUrl())));
  expect(lonely.body).toContain('You belong to no organization yet');
  for (const id of [org, other]) expect(await listConnections(id, console.people.as(SYSTEM))).toEqual([]);
});

test('a request that was changed, or is over, connects nothing', async () => {
  const { org, visitor, program } = await openProgram(console);
  const page = pathOf(await visitor.get(program.authorizeUrl()));
  const query = page.slice(page.indexOf('?') + 1);
  const changed = query.replace(encodeURIComponent(program.redirect), encodeURIComponent('https://evil.example'));
  expect(changed).not.toBe(query);
  const fields = { query: changed, organization: org, answer: 'allow' };
  const refused = await visitor.post('/console/connect', fields, { from: page });
  expect([refused.statusCode, refused.headers.location]).toEqual([410, undefined]);
  expect(refused.body).toContain('This request has expired');
  const old = await visitor.get(`/console/connect?${query.replace(/exp=\d+/, 'exp=1000')}`);
  expect(old.statusCode).toBe(410);
  expect(await listConnections(org, console.people.as(SYSTEM))).toEqual([]);
});

test('a foreign address to return to, and an unknown program, end on a page that says so', async () => {
  const { visitor, program } = await openProgram(console);
  for (const changes of [{ redirect_uri: 'https://evil.example/cb' }, { client_id: 'unknown' }]) {
    const answer = await visitor.get(program.authorizeUrl(changes));
    const page = await visitor.get(pathOf(answer));
    expect([page.statusCode, page.body.includes('Not connected')]).toEqual([400, true]);
  }
});

test.each([
  [{ code_challenge: '' }, 'invalid_request'],
  [{ code_challenge_method: 'plain' }, 'invalid_request'],
  [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
  [{ scope: 'write' }, 'invalid_scope'],
  [{ response_type: 'token' }, 'unsupported_response_type'],
  [{ request: 'x' }, ''],
])(
  'a request with %j is refused on a page of the service, and nobody is redirected elsewhere',
  async (changes, code) => {
    const program = await registerProgram(console, { redirect: 'https://evil.example/phish' });
    for (const visitor of [console.stranger(), await console.signIn('ada@example.com')]) {
      const place = pathOf(await visitor.get(program.authorizeUrl(changes)));
      expect(place).toMatch(/^\/console\/connect\/failed\?error=\w+$/);
      const page = await visitor.get(place);
      expect([page.statusCode, page.headers['refresh']]).toEqual([400, undefined]);
      expect(page.body).toContain(code);
      expect(page.body).not.toContain('evil.example');
    }
  },
);

test('the page of a refusal shows nothing that its address says', async () => {
  const { body } = await console.stranger().get('/console/connect/failed?error=Call%20us&error_description=Pay%20now');
  expect(body).toContain('Its request failed');
  expect(body).not.toMatch(/Call us|Pay now/);
});

test('the page that asks shows a request that the provider signed, and no other', async () => {
  const { visitor, program } = await openProgram(console);
  const page = pathOf(await visitor.get(program.authorizeUrl()));
  expect((await visitor.get(page)).statusCode).toBe(200);
  const exp = Math.ceil(Date.now() / 1000) + 600;
  const fields = { client_id: program.clientId, redirect_uri: 'https://bank.example', exp: `${exp}` };
  const made = `/console/connect?${new URLSearchParams(fields)}`;
  const changed = page.replace(encodeURIComponent(program.redirect), encodeURIComponent('https://bank.example'));
  expect(changed).not.toBe(page);
  for (const path of [made, `${made}&sig=x`, changed, `${page}&redirect_uri=x`]) {
    const { statusCode, body } = await visitor.get(path);
    expect([statusCode, body.includes('bank.example')], path).toEqual([410, false]);
  }
});
