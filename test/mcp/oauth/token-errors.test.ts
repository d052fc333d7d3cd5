/** What the token endpoint refuses, and in which words (RFC 6749, 5.2; RFC 7636, 4.6; specification "Connected programs"). */
import { expect, test } from 'vitest';
import { useConsole } from '../../support/console/use-console.ts';
import { OAuthProgram, type Tokens } from '../../support/mcp/oauth-program.ts';

const console = useConsole();
const ADA = 'ada@example.com';
const UNKNOWN_VERIFIER = 'a'.repeat(43);

async function codeFor(program: OAuthProgram): Promise<string> {
  const organization = await console.organization({ [ADA]: 'owner' });
  const to = await program.askUser(await console.signIn(ADA), { organization });
  return to.searchParams.get('code') ?? '';
}

const ask = (fields: Readonly<Record<string, string>> | string, headers: Readonly<Record<string, string>> = {}) =>
  console.api.app.inject({
    method: 'POST',
    url: '/oauth2/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });

test.each([
  ['a wrong verifier', { code_verifier: UNKNOWN_VERIFIER }, 'invalid_grant'],
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
  const program = await OAuthProgram.register(console);
  const answer = await program.exchange(await codeFor(program), changes);
  expect([answer.statusCode, answer.json()]).toEqual([400, { error, error_description: expect.any(String) }]);
  expect(answer.headers['cache-control']).toBe('no-store');
});

test('a code whose person has signed out meanwhile is a grant that is over, not a wrong request', async () => {
  const program = await OAuthProgram.register(console);
  const code = await codeFor(program);
  await console.database.kysely.deleteFrom('sessions').execute();
  const answer = await program.exchange(code);
  expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([400, 'invalid_grant']);
});

test('a program that proves itself by a header, and fails, is refused as 401 with a challenge', async () => {
  for (const authorization of [`Basic ${btoa('none:wrong')}`, 'Basic %%%', 'Basic ']) {
    const answer = await ask({ grant_type: 'refresh_token', refresh_token: 'none' }, { authorization });
    expect([answer.statusCode, answer.json<{ error: string }>().error], authorization).toEqual([401, 'invalid_client']);
    expect(answer.headers['www-authenticate']).toBe('Basic realm="modelstats"');
  }
});

test('a parameter that comes twice is a wrong request', async () => {
  const answer = await ask('grant_type=refresh_token&refresh_token=a&refresh_token=b&client_id=c');
  expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([400, 'invalid_request']);
});

test('a description has the characters that RFC 6749 allows', async () => {
  const answer = await ask({ grant_type: 'what"\\\n\u{1f600}', client_id: 'none' });
  expect(answer.json<{ error_description: string }>().error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
});

test('a refresh token that is unknown, and a scope that there is not, are refused by their names', async () => {
  const program = await OAuthProgram.register(console);
  const organization = await console.organization({ [ADA]: 'owner' });
  const tokens: Tokens = await program.connect(await console.signIn(ADA), organization);
  const refused = [await program.refresh('none'), await program.refresh(tokens.refresh_token, { scope: 'write' })];
  expect(refused.map((answer) => [answer.statusCode, answer.json<{ error: string }>().error])).toEqual([
    [400, 'invalid_grant'],
    [400, 'invalid_scope'],
  ]);
});
