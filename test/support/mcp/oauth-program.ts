import { createHash, randomBytes } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { PUBLIC_URL, type TestConsole } from '../console/use-console.ts';
import type { Visitor } from '../console/visitor.ts';

const REDIRECT = 'http://127.0.0.1:4567/callback';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly token_type: string;
}

type Fields = Readonly<Record<string, string>>;

interface AskOptions {
  readonly organization: string;
  readonly answer?: 'allow' | 'deny';
  readonly url?: string;
}

/** A program that has registered itself and wants to be connected, as far as the protocol goes, without a network. */
export async function registerProgram(
  console: TestConsole,
  { redirect = REDIRECT, ...fields }: Readonly<Record<string, unknown>> & { readonly redirect?: string } = {},
) {
  const registered = await registerWith(console, { redirect_uris: [redirect], ...fields });
  expect(registered.statusCode, registered.body).toBe(201);
  const { client_id: clientId } = registered.json<{ client_id: string }>();
  const verifier = randomBytes(32).toString('base64url');
  const authorizeUrl = (changes: Fields = {}) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirect,
      state: 'what it remembers',
      scope: 'read offline_access',
      resource: `${PUBLIC_URL}/mcp`,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    });
    return `/oauth2/authorize?${query}`;
  };
  /** Follows the browser whose user is signed in and answers the question; resolves to where it ends. */
  const askUser = async (
    visitor: Visitor,
    { organization, answer = 'allow', url = authorizeUrl() }: AskOptions,
  ): Promise<URL> => {
    const page = pathOf(await visitor.get(url));
    const query = page.slice(page.indexOf('?') + 1);
    const answered = await visitor.post('/console/connect', { query, organization, answer }, { from: page });
    const [, to] = /^0; url=(.*)$/.exec(String(answered.headers['refresh'])) ?? [];
    if (answered.statusCode !== 200 || to === undefined)
      throw new Error(`not sent away: ${answered.statusCode} ${answered.body.slice(0, 3000)}`);
    return new URL(to);
  };
  const askToken = (asked: Fields) => postForm(console, '/oauth2/token', { client_id: clientId, ...asked });
  const exchange = (code: string, changes: Fields = {}) =>
    askToken({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirect,
      code_verifier: verifier,
      resource: `${PUBLIC_URL}/mcp`,
      ...changes,
    });
  return {
    clientId,
    redirect,
    authorizeUrl,
    askUser,
    exchange,
    /** Has its user connect it, and gets its first tokens. */
    async connect(visitor: Visitor, organization: string) {
      const answer = await exchange(codeIn(await askUser(visitor, { organization })));
      expect(answer.statusCode, answer.body).toBe(200);
      return answer.json<Tokens>();
    },
    refresh: (refreshToken: string, changes: Fields = {}) =>
      askToken({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes }),
    revoke: (token: string) => postForm(console, '/oauth2/revoke', { token, client_id: clientId }),
  };
}

/** An organization of its own, whose owner Ada is signed in, and a program that has registered itself. */
export async function openProgram(console: TestConsole, registration: Parameters<typeof registerProgram>[1] = {}) {
  const { org, ada: visitor } = await console.own();
  return { org, visitor, program: await registerProgram(console, registration) };
}

export const codeIn = (to: URL) => to.searchParams.get('code') ?? '';

export const errorIn = (answer: LightMyRequestResponse) => [
  answer.statusCode,
  answer.json<{ readonly error: string }>().error,
];

/** The path and query that an answer sends a browser to; throws where it sends it nowhere on this host. */
export function pathOf({ statusCode, headers, body }: LightMyRequestResponse): string {
  const url = new URL(headers.location ?? 'none:', PUBLIC_URL);
  if (url.origin !== PUBLIC_URL) throw new Error(`sent to ${headers.location ?? 'nowhere'}: ${statusCode} ${body}`);
  return url.pathname + url.search;
}

export function registerWith(console: TestConsole, registration: unknown): Promise<LightMyRequestResponse> {
  const fields = { client_name: 'Agent of Acme', token_endpoint_auth_method: 'none', ...Object(registration) };
  return post(console, '/oauth2/register', JSON.stringify(fields), { 'content-type': 'application/json' });
}

/** Calls a tool over MCP with a token or key; the HTTP answer. */
export function callWith(
  console: TestConsole,
  token: string | undefined,
  params: { readonly name: string; readonly arguments: object } = { name: 'get-account', arguments: {} },
): Promise<LightMyRequestResponse> {
  return post(console, '/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  });
}

export function postForm(
  console: TestConsole,
  url: string,
  fields: Fields | string,
  headers: Fields = {},
): Promise<LightMyRequestResponse> {
  const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
  return post(console, url, new URLSearchParams(fields).toString(), form);
}

async function post(console: TestConsole, url: string, payload: string, headers: Record<string, string>) {
  return console.api.app.inject({ method: 'POST', url, payload, headers });
}
