import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

type Kept<Name extends 'tokens' | 'clientInformation'> = Awaited<ReturnType<OAuthClientProvider[Name]>>;

/** What a program keeps that both official clients connect with, and where its user's browser comes back to. */
export interface KeptCredentials extends OAuthClientProvider {
  tokens(): Kept<'tokens'>;
  /** What the browser comes back with. */
  readonly answer: Promise<{ readonly code: string; readonly iss: string }>;
  /** Where the program wanted its user's browser to go. */
  readonly opened: () => string;
}

/** Listens for the browser on a port of its own until the test ends. */
export async function keepCredentials(name: string): Promise<KeptCredentials> {
  const came = Promise.withResolvers<Awaited<KeptCredentials['answer']>>();
  const server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://localhost');
    came.resolve({ code: searchParams.get('code') ?? '', iss: searchParams.get('iss') ?? '' });
    response.end('You may close this window.');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // Of a server that listens.
  const redirectUrl = `http://127.0.0.1:${port}/callback`;
  let client: Kept<'clientInformation'>;
  let tokens: Kept<'tokens'>;
  let discovery: OAuthDiscoveryState | undefined;
  let [verifier, opened] = ['', ''];
  return {
    redirectUrl,
    answer: came.promise,
    opened: () => opened,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    clientInformation: () => client,
    saveClientInformation: (told) => {
      client = told;
    },
    tokens: () => tokens,
    saveTokens: (told) => {
      tokens = told;
    },
    redirectToAuthorization: ({ href }) => {
      opened = href;
    },
    saveCodeVerifier: (told) => {
      verifier = told;
    },
    codeVerifier: () => verifier,
    /** Told that what it keeps is no good any more. */
    invalidateCredentials: (what) => {
      if (what === 'all' || what === 'tokens') tokens = undefined;
      if (what === 'all' || what === 'client') client = undefined;
    },
    saveDiscoveryState: (told) => {
      discovery = told;
    },
    discoveryState: () => discovery,
  };
}
