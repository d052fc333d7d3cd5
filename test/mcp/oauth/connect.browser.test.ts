import { createServer } from 'node:http';
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test } from 'vitest';
import { findFaultsOfAllLooks } from '../../support/browser/accessibility.ts';
import { confirm, goTo, nameOrganization, rowOf, signUp } from '../../support/browser/console-user.ts';
import { useChromium } from '../../support/browser/use-chromium.ts';
import { useConsoleService } from '../../support/browser/use-console-service.ts';
import { ERAS, type Era } from '../../support/mcp/clients.ts';
import { listenOnFreePort } from '../../support/processes/servers.ts';

const service = useConsoleService();
const chromium = useChromium();

test.each(ERAS)(
  'a client of the %s era is connected by a person who signs in and chooses, refreshes its tokens, and is ended',
  async (era) => {
    const name = `Agent of the ${era} era`;
    const kept = await keepCredentials(name);
    const first = transportOf(era, kept);
    await expect(clientOf(era).connect(first)).rejects.toThrow(/unauthorized/i);

    // The person has to sign in on the way; their organization is made beside it.
    const own = await chromium.open({});
    await signUp(own, service, `ada-${era}@example.com`);
    await nameOrganization(own, 'Acme');
    await own.goto(kept.opened());
    await own.getByRole('heading', { name: `Connect ${name}?` }).waitFor();
    expect(await findFaultsOfAllLooks(own)).toEqual([]);
    await own.getByRole('button', { name: 'Allow', exact: true }).click();
    const { code, iss } = await kept.answer;
    await own.getByText('You may close this window.').waitFor();
    await first.finishAuth(code, iss);

    expect(kept.tokens()?.refresh_token).toMatch(/^msk_refresh_/);
    const client = clientOf(era);
    await client.connect(transportOf(era, kept));
    const account = await client.callTool({ name: 'get-account', arguments: {} });
    expect(account.structuredContent).toMatchObject({ client_source: 'mcp_oauth', plan: { plan: 'community' } });
    await client.close();

    // A token that is over is refreshed by the client itself.
    const before = kept.tokens();
    if (before === undefined) throw new Error('no tokens were kept');
    await kept.saveTokens({ ...before, access_token: 'msk_mcp_over' });
    const again = clientOf(era);
    await again.connect(transportOf(era, kept));
    expect((await again.callTool({ name: 'list-models', arguments: { limit: 1 } })).isError).not.toBe(true);
    expect(kept.tokens()?.access_token).not.toBe(before.access_token);
    await again.close();

    await own.goto(`${service.url}/console`);
    await goTo(own, 'Connections');
    expect(await findFaultsOfAllLooks(own)).toEqual([]);
    await own.reload(); // With everything closed again.
    await confirm(rowOf(own, name), 'End');
    await own.getByText('The connection was ended.').waitFor();
    await expect(clientOf(era).connect(transportOf(era, kept))).rejects.toThrow(/unauthorized/i);
  },
);

function clientOf(era: Era) {
  const info = { name: 'test', version: '1' };
  return era === 'new' ? new NewClient(info) : new OldClient(info);
}

function transportOf(era: Era, authProvider: OAuthClientProvider) {
  const url = new URL(`${service.url}/mcp`);
  return era === 'new' ? new NewTransport(url, { authProvider }) : new OldTransport(url, { authProvider });
}

type Of<Name extends 'tokens' | 'clientInformation' | 'discoveryState'> = Awaited<
  ReturnType<NonNullable<OAuthClientProvider[Name]>>
>;
interface StoredCredentials {
  client?: Of<'clientInformation'>;
  tokens?: Of<'tokens'>;
  discovery?: Of<'discoveryState'>;
  verifier: string;
  opened: string;
}

/** The credentials of a program, with which both official clients connect; its user's browser comes back to a port of its own. */
async function keepCredentials(name: string) {
  const came = Promise.withResolvers<{ readonly code: string; readonly iss: string }>();
  const server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://localhost');
    came.resolve({ code: searchParams.get('code') ?? '', iss: searchParams.get('iss') ?? '' });
    response.end('You may close this window.');
  });
  const redirectUrl = `http://127.0.0.1:${await listenOnFreePort(server)}/callback`;
  onTestFinished(() => void server.close());
  const stored: StoredCredentials = { verifier: '', opened: '' };
  return {
    redirectUrl,
    /** What the browser comes back with. */
    answer: came.promise,
    /** Where the program wanted its user's browser to go. */
    opened: () => stored.opened,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    clientInformation: () => stored.client,
    saveClientInformation: (client: StoredCredentials['client']) => void Object.assign(stored, { client }),
    tokens: () => stored.tokens,
    saveTokens: (tokens: StoredCredentials['tokens']) => void Object.assign(stored, { tokens }),
    redirectToAuthorization: ({ href }: URL) => void Object.assign(stored, { opened: href }),
    saveCodeVerifier: (verifier: string) => void Object.assign(stored, { verifier }),
    codeVerifier: () => stored.verifier,
    invalidateCredentials: (what: string) => {
      if (what === 'all' || what === 'tokens') delete stored.tokens;
      if (what === 'all' || what === 'client') delete stored.client;
    },
    saveDiscoveryState: (discovery: StoredCredentials['discovery']) => void Object.assign(stored, { discovery }),
    discoveryState: () => stored.discovery,
  };
}
