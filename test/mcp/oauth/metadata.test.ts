import { describe, expect, test } from 'vitest';
import { PUBLIC_URL, useConsole } from '../../support/console/use-console.ts';
import { callWith, registerWith } from '../../support/mcp/oauth-program.ts';

const console = useConsole();
const get = (url: string) => console.api.app.inject({ url });

test('a request without a credential is told where to learn how to get one', async () => {
  const { statusCode, headers } = await callWith(console, undefined);
  const metadata = `${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`;
  const challenge = `Bearer resource_metadata="${metadata}", scope="read"`;
  expect([statusCode, headers['www-authenticate']]).toEqual([401, challenge]);
  const document = await get(new URL(metadata).pathname);
  expect(document.json()).toMatchObject({ resource: `${PUBLIC_URL}/mcp`, authorization_servers: [PUBLIC_URL] });
  expect((await get('/.well-known/oauth-protected-resource')).json()).toEqual(document.json());
});

test('the metadata of the provider says what the provider itself says, but for what is not served', async () => {
  const told = (await get('/.well-known/oauth-authorization-server')).json<Record<string, unknown>>();
  const provider = await console.people.authorization?.handle(
    new Request(`${PUBLIC_URL}/.well-known/oauth-authorization-server`),
  );
  const own = (await provider?.json()) as Record<string, unknown>;
  for (const [name, value] of Object.entries(told)) {
    if (name === 'revocation_endpoint_auth_methods_supported') continue; // It takes programs without a secret as well.
    if (name === 'token_endpoint_auth_methods_supported')
      expect(own[name]).toEqual(expect.arrayContaining(value as string[]));
    else expect([name, value]).toEqual([name, own[name]]);
  }
  expect(told['code_challenge_methods_supported']).toEqual(['S256']);
});

test('other routes of the provider are not there', async () => {
  for (const path of ['introspect', 'userinfo', 'end-session', 'consent', 'create-client', 'get-clients', 'continue']) {
    for (const method of ['GET', 'POST'] as const) {
      const { statusCode } = await console.api.app.inject({ method, url: `/oauth2/${path}` });
      expect([method, path, statusCode]).toEqual([method, path, 404]);
    }
  }
});

test('a registration keeps no addresses and keys that something would be fetched from', async () => {
  const answer = await registerWith(console, {
    redirect_uris: ['http://localhost:1/cb'],
    jwks_uri: 'http://169.254.169.254/',
    jwks: { keys: [] },
    backchannel_logout_uri: 'http://169.254.169.254/',
    logo_uri: 'http://169.254.169.254/',
  });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  expect(answer.body).not.toContain('169.254');
});

test('a program that comes back to this computer or to a page on the web, as it happens, is registered', async () => {
  const redirects = ['https://editor.example/redirect', 'http://127.0.0.1/', 'http://localhost:33418/'];
  const answer = await registerWith(console, { redirect_uris: redirects });
  expect([answer.statusCode, answer.json()]).toEqual([201, expect.objectContaining({ redirect_uris: redirects })]);
});

test.each([
  ['no address to return to', {}],
  ['an address that would run a script', { redirect_uris: ['javascript:alert(1)'] }],
  ['an address in the clear on another machine', { redirect_uris: ['http://example.com/cb'] }],
  ['a grant that is not offered', { redirect_uris: ['http://localhost:1/cb'], grant_types: ['client_credentials'] }],
  ['a list', ['http://localhost:1/cb']],
  ['the character NUL', { redirect_uris: ['http://localhost:1/cb'], client_name: 'A\0B' }],
])('a registration with %s is refused', async (_, registration) => {
  const answer = await registerWith(console, registration);
  expect(answer.statusCode, answer.body).toBe(400);
  expect(answer.json()).toHaveProperty('error', expect.stringMatching(/^invalid_/));
});

test.each([
  ['JSON that is none', 'application/json', '{', 400],
  ['JSON of any depth', 'application/json', '['.repeat(8_100) + ']'.repeat(8_100), 400],
  ['a form that is none', 'application/x-www-form-urlencoded', 'a=%zz', 400],
  ['another kind of body', 'text/plain', 'a=b', 415],
  ['a body that is too long', 'application/json', `"${'a'.repeat(17_000)}"`, 413],
])('%s is refused in the words of OAuth', async (_, type, payload, status) => {
  const headers = { 'content-type': type };
  const answer = await console.api.app.inject({ method: 'POST', url: '/oauth2/token', headers, payload });
  const body = { error: 'invalid_request', error_description: expect.any(String) };
  expect([answer.statusCode, answer.json()]).toEqual([status, body]);
});

test('one address registers no more programs in an hour than is set', async () => {
  const statuses: number[] = [];
  for (let number = 0; number < 40; number += 1)
    statuses.push((await registerWith(console, { redirect_uris: ['http://localhost:1/cb'] })).statusCode);
  expect(new Set(statuses.slice(-5))).toEqual(new Set([429]));
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10);
});

describe('where a client address may ask the routes of OAuth five times a minute', () => {
  const limited = useConsole({ oauthPerMinute: 5 });
  const ask = (remoteAddress: string) =>
    limited.api.app.inject({ method: 'POST', url: '/oauth2/token', remoteAddress, payload: '' });

  test('addresses of one IPv6 /64 count as one', async () => {
    for (let number = 1; number <= 5; number += 1) await ask(`2001:db8::${number}`);
    const refused = await ask('2001:db8::99');
    expect([refused.statusCode, refused.json()]).toMatchObject([429, { error: 'temporarily_unavailable' }]);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    expect((await ask('2001:db8:0:1::1')).statusCode).toBe(400);
  });

  test('one client address asks the routes of OAuth no more often than is set', async () => {
    const statuses: number[] = [];
    for (let number = 0; number < 7; number += 1) statuses.push((await ask('203.0.113.7')).statusCode);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429]);
    expect((await ask('203.0.113.8')).statusCode).toBe(400);
  });
});
