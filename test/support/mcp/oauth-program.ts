import { createHash, randomBytes } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { PUBLIC_URL, type TestConsole } from '../console/use-console.ts';
import type { Visitor } from '../console/visitor.ts';

const REDIRECT = 'http://127.0.0.1:4567/callback';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly token_type: string;
}

/** A program that wants to be connected, as far as the protocol goes, without a network. */
export class OAuthProgram {
  readonly clientId: string;
  readonly verifier = randomBytes(32).toString('base64url');
  readonly redirect: string;
  readonly #console: TestConsole;

  private constructor(console: TestConsole, clientId: string, redirect: string) {
    this.#console = console;
    this.clientId = clientId;
    this.redirect = redirect;
  }

  /** A program that has registered itself. */
  static async register(
    console: TestConsole,
    { redirect = REDIRECT, ...fields }: Readonly<Record<string, unknown>> & { readonly redirect?: string } = {},
  ): Promise<OAuthProgram> {
    const answer = await registerWith(console, { redirect_uris: [redirect], ...fields });
    const { client_id: clientId } = answer.json<{ client_id: string }>();
    if (answer.statusCode >= 300) throw new Error(`not registered: ${answer.statusCode} ${answer.body}`);
    return new OAuthProgram(console, clientId, redirect);
  }

  /** Where it sends its user's browser. */
  authorizeUrl(changes: Readonly<Record<string, string>> = {}): string {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirect,
      state: 'what it remembers',
      scope: 'read offline_access',
      resource: `${PUBLIC_URL}/mcp`,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    });
    return `/oauth2/authorize?${query}`;
  }

  /** Goes the way that a browser goes whose user is signed in and answers the question; resolves to where it ends. */
  async askUser(
    visitor: Visitor,
    { organization, answer = 'allow', url = this.authorizeUrl() }: AskOptions,
  ): Promise<URL> {
    const page = pathOf(await visitor.get(url));
    const query = page.slice(page.indexOf('?') + 1);
    const answered = await visitor.post('/console/connect', { query, organization, answer }, { from: page });
    const [, to] = /^0; url=(.*)$/.exec(String(answered.headers['refresh'])) ?? [];
    if (answered.statusCode !== 200 || to === undefined)
      throw new Error(`not sent away: ${answered.statusCode} ${answered.body.slice(0, 3000)}`);
    return new URL(to);
  }

  /** Has its user connect it, and gets its first tokens. */
  async connect(visitor: Visitor, organization: string): Promise<Tokens> {
    const answer = await this.exchange(codeIn(await this.askUser(visitor, { organization })));
    if (answer.statusCode !== 200) throw new Error(`no tokens: ${answer.statusCode} ${answer.body}`);
    return answer.json();
  }

  exchange(code: string, changes: Readonly<Record<string, string>> = {}): Promise<LightMyRequestResponse> {
    return this.#token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirect,
      code_verifier: this.verifier,
      resource: `${PUBLIC_URL}/mcp`,
      ...changes,
    });
  }

  refresh(refreshToken: string, changes: Readonly<Record<string, string>> = {}): Promise<LightMyRequestResponse> {
    return this.#token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes });
  }

  revoke(token: string): Promise<LightMyRequestResponse> {
    return postForm(this.#console, '/oauth2/revoke', { token, client_id: this.clientId });
  }

  #token(fields: Readonly<Record<string, string>>): Promise<LightMyRequestResponse> {
    return postForm(this.#console, '/oauth2/token', { client_id: this.clientId, ...fields });
  }
}

/** An organization of its own, whose owner Ada is signed in, and a program that has registered itself. */
export async function openProgram(
  console: TestConsole,
  registration: Parameters<typeof OAuthProgram.register>[1] = {},
) {
  const org = await console.organization({ 'ada@example.com': 'owner' });
  const [visitor, program] = [
    await console.signIn('ada@example.com'),
    await OAuthProgram.register(console, registration),
  ];
  return { org, visitor, program };
}

/** The code that a person's answer brings it. */
export const codeIn = (to: URL) => to.searchParams.get('code') ?? '';

export const errorIn = (answer: LightMyRequestResponse) => [
  answer.statusCode,
  answer.json<{ readonly error: string }>().error,
];

interface AskOptions {
  readonly organization: string;
  readonly answer?: 'allow' | 'deny';
  readonly url?: string;
}

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

/** Sends a form, with these headers besides. */
export function postForm(
  console: TestConsole,
  url: string,
  fields: Readonly<Record<string, string>> | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
  return post(console, url, new URLSearchParams(fields).toString(), form);
}

async function post(console: TestConsole, url: string, payload: string, headers: Record<string, string>) {
  return console.api.app.inject({ method: 'POST', url, payload, headers });
}
