import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SYSTEM } from '../../../api/accounts/actor.ts';
import { openAccounts } from '../../../api/accounts/open-accounts.ts';
import { listConnections, revokeConnection } from '../../../api/accounts/people/connections.ts';
import { addMember, removeMember } from '../../../api/accounts/people/memberships.ts';
import type { OAuthAuthorization } from '../../../api/accounts/people/oauth-authorization.ts';
import type { FoundSession } from '../../../api/accounts/people/people.ts';
import { withOrganization } from '../../../api/accounts/people/sign-in/oauth-provider.ts';
import { CONNECTIONS, cookieHeader, ORIGIN, type PeopleSubject } from './use-people.ts';

const PUBLIC_URL = 'https://stats.example.com';
const REDIRECT = 'http://127.0.0.1:4567/callback';
const VERIFIER = 'a text of at least 43 characters that is not random at all';
const DAY_MS = 86_400_000;

/** Connections on every control database, from who asks to who finds the token. */
export function describeConnections(subject: PeopleSubject): void {
  const getAuthorization = (): OAuthAuthorization => {
    const { authorization } = subject.people;
    if (authorization === undefined) throw new Error('no programs may be connected');
    return authorization;
  };
  const post = (path: string, headers: Readonly<Record<string, string>>, body: string | URLSearchParams) =>
    getAuthorization().handle(new Request(PUBLIC_URL + path, { method: 'POST', headers, body }));
  const register = async (): Promise<string> => {
    const registration = { client_name: 'Agent', redirect_uris: [REDIRECT], application_type: 'native' };
    const body = JSON.stringify({ ...registration, token_endpoint_auth_method: 'none' });
    const response = await post('/oauth2/register', { 'content-type': 'application/json' }, body);
    return Object(await response.json()).client_id;
  };
  /** The page on which this person is asked. */
  const ask = async (
    { cookies }: FoundSession,
    clientId: string,
    { resource = CONNECTIONS.resource, authorization = getAuthorization() } = {},
  ): Promise<URL> => {
    const wanted = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      scope: 'read offline_access',
      resource,
      prompt: 'consent',
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const request = new Request(`${PUBLIC_URL}/oauth2/authorize?${wanted}`, {
      headers: { cookie: cookieHeader(cookies) },
    });
    return new URL((await authorization.handle(request)).headers.get('location') ?? '');
  };
  /** The code that a program gets whom this person lets ask for the organization. */
  const accept = async (person: FoundSession, organizationId: string, clientId: string): Promise<string> => {
    const page = await ask(person, clientId);
    const as = { session: person.session, cookies: cookieHeader(person.cookies), origin: ORIGIN };
    const to = new URL(await getAuthorization().accept(page.search.slice(1), as, organizationId));
    return to.searchParams.get('code') ?? '';
  };
  const exchange = (clientId: string, code: string) =>
    post(
      '/oauth2/token',
      {},
      new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        redirect_uri: REDIRECT,
        code_verifier: VERIFIER,
      }),
    );
  /** An organization that a program of ada's is connected to, its token, and another server that it asks. */
  const start = async () => {
    const { id: org } = await subject.organization({ 'ada@example.com': 'member', 'bob@example.com': 'owner' });
    const clientId = await register();
    const response = await exchange(clientId, await accept(await subject.signIn('ada@example.com'), org, clientId));
    const token: string = Object(await response.json()).access_token;
    return { org, token, other: await openAccounts(subject.url, { mcpResource: CONNECTIONS.resource }) };
  };
  const connectionsOf = (org: string) => listConnections(org, subject.people.as(SYSTEM));
  /** The one connection of an organization, as who ends it names it. */
  const connectionOf = async (organizationId: string) => {
    const [connection] = await connectionsOf(organizationId);
    return { organizationId, connectionId: connection?.id ?? '' };
  };

  describe('connections', () => {
    test('what a person connects asks for the organization that they chose, on every server', async () => {
      const { org, token, other } = await start();
      expect(await other.authenticate(token, 'mcp')).toMatchObject({
        organizationId: org,
        credentialId: expect.stringMatching(/^connection_/),
        clientSource: 'mcp_oauth',
      });
      expect(await other.authenticate(token)).toBeUndefined();
      expect(await other.authenticate(token, 'api')).toBeUndefined();
      await other.close();
      const [connection] = await connectionsOf(org);
      expect(connection).toMatchObject({ clientName: 'Agent', person: { email: 'ada@example.com' } });
      expect(connection?.lastUsedAt).not.toBeNull();
    });

    test('every member sees and ends it; to who does not belong to the organization it is not there', async () => {
      const { org, token, other } = await start();
      const [connection] = await connectionsOf(org);
      const of = await connectionOf(org);
      const stranger = await subject.signInAs('eve@example.com');
      for (const work of [() => listConnections(org, stranger), () => revokeConnection(of, stranger)])
        await expect(work()).rejects.toMatchObject({ code: 'not_found' });
      expect(await revokeConnection(of, await subject.signInAs('bob@example.com'))).toEqual(connection);
      expect(await connectionsOf(org)).toEqual([]);
      other.forgetCredentials();
      expect(await other.authenticate(token, 'mcp')).toBeUndefined();
      await other.close();
      const rows = (await subject.audit()).filter((row) => row.subject_id === of.connectionId);
      expect(rows.map(({ actor, action, origin }) => ({ actor, action, origin }))).toEqual([
        { actor: 'person:bob@example.com', action: 'connection.revoke', origin: ORIGIN.address },
        { actor: 'person:ada@example.com', action: 'connection.create', origin: ORIGIN.address },
      ]);
    });

    test('a server that did not end it refuses it within five seconds', async () => {
      const { org, token, other } = await start();
      expect(await other.authenticate(token, 'mcp')).toBeDefined();
      await revokeConnection(await connectionOf(org), subject.people.as(SYSTEM));
      subject.advance(5_000);
      expect(await other.authenticate(token, 'mcp')).toBeUndefined();
      await other.close();
    });

    test('a code that comes after its connection was ended brings nothing, and nothing of before is good when it is made anew', async () => {
      const { id: org } = await subject.organization({ 'ada@example.com': 'owner' });
      const ada = await subject.signIn('ada@example.com');
      const clientId = await register();
      const code = await accept(ada, org, clientId);
      await revokeConnection(await connectionOf(org), subject.people.as(SYSTEM));
      await expect(exchange(clientId, code)).rejects.toMatchObject({ code: 'unavailable' });
      await accept(ada, org, clientId);
      expect(await subject.rows('oauth_access_tokens')).toEqual([]);
    });

    test('who leaves the organization while they answer connects nothing to it', async () => {
      const { id: org } = await subject.organization({ 'ada@example.com': 'member', 'bob@example.com': 'owner' });
      const ada = await subject.signIn('ada@example.com');
      const page = await ask(ada, await register());
      const members = subject.operator();
      await removeMember({ organizationId: org, personId: ada.session.person.id }, members);
      // As where they were a member when that was looked at.
      const headers = { cookie: cookieHeader(ada.cookies), origin: PUBLIC_URL, 'content-type': 'application/json' };
      const body = JSON.stringify({ accept: true, oauth_query: page.search.slice(1) });
      const answered = withOrganization(org, () => post('/oauth2/consent', headers, body));
      await expect(answered).rejects.toMatchObject({ code: 'unavailable' });
      await addMember({ organizationId: org, email: 'ada@example.com', role: 'member' }, members);
      expect(await connectionsOf(org)).toEqual([]);
    });

    test('a program that was registered before the service moved is connected at the new address', async () => {
      const { id: org } = await subject.organization({ 'ada@example.com': 'owner' });
      const ada = await subject.signIn('ada@example.com');
      const clientId = await register();
      const resource = 'https://new.example.com/mcp';
      const moved = await subject.open({ connections: { ...CONNECTIONS, resource } });
      const page = await ask(ada, clientId, { resource, authorization: moved.people.authorization });
      const as = { session: ada.session, cookies: cookieHeader(ada.cookies), origin: ORIGIN };
      const to = await moved.people.authorization?.accept(page.search.slice(1), as, org);
      expect(new URL(to ?? '').searchParams.get('code')).not.toBeNull();
    });

    test('an app of a known scheme is registered with all its addresses', async () => {
      const redirect_uris = ['cursor://anysphere.cursor-mcp/oauth/callback', REDIRECT];
      const response = await getAuthorization().register({ redirect_uris, token_endpoint_auth_method: 'none' }, ORIGIN);
      if ('tooMany' in response) throw new Error('too many programs were registered');
      expect(await response.json()).toMatchObject({ redirect_uris, application_type: 'native' });
      const [row] = await subject.database.kysely.selectFrom('oauth_clients').select('redirect_uris').execute();
      const kept = row?.redirect_uris; // Text on SQLite.
      expect(typeof kept === 'string' ? JSON.parse(kept) : kept).toEqual(redirect_uris);
    });

    test('tokens that are over, and programs that nobody has connected for 90 days, are forgotten', async () => {
      const { other } = await start();
      await other.close();
      const unused = await register();
      const counts = () =>
        Promise.all(
          (['oauth_access_tokens', 'oauth_refresh_tokens', 'oauth_clients'] as const).map(
            async (table) => (await subject.rows(table)).length,
          ),
        );
      expect(await counts()).toEqual([1, 1, 2]);
      subject.advance(91 * DAY_MS);
      await subject.signIn('ada@example.com'); // Whatever is asked has it cleaned up.
      await expect.poll(counts).toEqual([0, 0, 1]);
      expect(JSON.stringify(await subject.rows('oauth_clients'))).not.toContain(unused);
    });
  });
}
