import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

type Kept<Name extends 'tokens' | 'clientInformation'> = Awaited<ReturnType<OAuthClientProvider[Name]>>;

/** What a program keeps that both official clients connect with, and where its user's browser comes back to. */
export class KeptCredentials implements OAuthClientProvider {
  readonly redirectUrl: string;
  /** What the browser comes back with. */
  readonly answer: Promise<{ readonly code: string; readonly iss: string }>;
  readonly clientMetadata: OAuthClientProvider['clientMetadata'];
  #client: Kept<'clientInformation'>;
  #tokens: Kept<'tokens'>;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;
  #opened: URL | undefined;

  private constructor(redirectUrl: string, answer: KeptCredentials['answer'], name: string) {
    this.redirectUrl = redirectUrl;
    this.answer = answer;
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    };
  }

  /** Listens for the browser on a port of its own until the test ends. */
  static async listen(name: string): Promise<KeptCredentials> {
    let came = (_: Awaited<KeptCredentials['answer']>) => {};
    const answer: KeptCredentials['answer'] = new Promise((resolve) => {
      came = resolve;
    });
    const server = createServer(({ url = '' }, response) => {
      const { searchParams } = new URL(url, 'http://localhost');
      came({ code: searchParams.get('code') ?? '', iss: searchParams.get('iss') ?? '' });
      response.end('You may close this window.');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo; // Of a server that listens.
    return new KeptCredentials(`http://127.0.0.1:${port}/callback`, answer, name);
  }

  /** Where the program wanted its user's browser to go. */
  get opened(): string {
    if (this.#opened === undefined) throw new Error('the program opened no browser');
    return this.#opened.href;
  }

  clientInformation(): Kept<'clientInformation'> {
    return this.#client;
  }

  saveClientInformation(client: NonNullable<Kept<'clientInformation'>>): void {
    this.#client = client;
  }

  tokens(): Kept<'tokens'> {
    return this.#tokens;
  }

  saveTokens(tokens: NonNullable<Kept<'tokens'>>): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.#opened = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  /** Told that what it keeps is no good any more. */
  invalidateCredentials(what: string): void {
    if (what === 'all' || what === 'tokens') this.#tokens = undefined;
    if (what === 'all' || what === 'client') this.#client = undefined;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }
}
