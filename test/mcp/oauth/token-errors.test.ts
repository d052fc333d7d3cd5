/** What the token endpoint refuses, and in which words (RFC 6749, 5.2; RFC 7636, 4.6; specification "Connected programs"). */
import { expect, test } from 'vitest';
import { useConsole } from '../../support/console/use-console.ts';
import { codeIn, errorIn, OAuthProgram, openProgram, postForm } from '../../support/mcp/oauth-program.ts';

const console = useConsole();

/** A program, and a code that its user has it brought. */
async function openWithCode() {
  const { org, visitor, program } = await openProgram(console);
  return { program, code: codeIn(await program.askUser(visitor, { organization: org })) };
}

const ask = (fields: Readonly<Record<string, string>> | string, headers = {}) =>
  postForm(console, '/oauth2/token', fields, headers);

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
  const { program, code } = await openWithCode();
  const answer = await program.exchange(code, changes);
  expect([answer.statusCode, answer.json()]).toEqual([400, { error, error_description: expect.any(String) }]);
  expect(answer.headers['cache-control']).toBe('no-store');
});

test('a code brings nothing to another program', async () => {
  const { code } = await openWithCode();
  const other = await OAuthProgram.register(console);
  expect(errorIn(await other.exchange(code))).toEqual([400, 'invalid_grant']);
});

test('a code whose person has signed out meanwhile is a grant that is over, not a wrong request', async () => {
  const { program, code } = await openWithCode();
  await console.database.kysely.deleteFrom('sessions').execute();
  expect(errorIn(await program.exchange(code))).toEqual([400, 'invalid_grant']);
});

test('a program that proves itself by a header, and fails, is refused as 401 with a challenge', async () => {
  for (const authorization of [`Basic ${btoa('none:wrong')}`, 'Basic %%%', 'Basic ']) {
    const answer = await ask({ grant_type: 'refresh_token', refresh_token: 'none' }, { authorization });
    expect(errorIn(answer), authorization).toEqual([401, 'invalid_client']);
    expect(answer.headers['www-authenticate']).toBe('Basic realm="modelstats"');
  }
});

test('a parameter that comes twice is a wrong request', async () => {
  const answer = await ask('grant_type=refresh_token&refresh_token=a&refresh_token=b&client_id=c');
  expect(errorIn(answer)).toEqual([400, 'invalid_request']);
});

test('a description has the characters that RFC 6749 allows', async () => {
  const answer = await ask({ grant_type: 'what"\\\n\u{1f600}', client_id: 'none' });
  expect(answer.json<{ error_description: string }>().error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
});

test('a refresh token that is unknown, and a scope that there is not, are refused by their names', async () => {
  const { org, visitor, program } = await openProgram(console);
  const tokens = await program.connect(visitor, org);
  const refused = [await program.refresh('none'), await program.refresh(tokens.refresh_token, { scope: 'write' })];
  expect(refused.map(errorIn)).toEqual([
    [400, 'invalid_grant'],
    [400, 'invalid_scope'],
  ]);
});
