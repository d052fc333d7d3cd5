import { AppError } from '../../../runtime/errors.ts';
import { isThisMachine } from '../../../runtime/this-machine.ts';
import { orUnavailable } from '../../database/database-errors.ts';
import type { Database } from '../../database/tables/tables.ts';
import type { Origin } from '../actor.ts';
import { limitedOrigin } from '../address-limit.ts';
import { shownProgramName } from '../organizations/organization-name.ts';
import { OAUTH_PATHS } from './connections.ts';
import type { OpenedMembers } from './open-members.ts';
import { CONSOLE_PATHS, type PeopleSettings, type Session, type TooMany } from './people.ts';
import { assertMember } from './person.ts';
import type { Auth } from './sign-in/auth.ts';
import { withOrganization } from './sign-in/oauth-provider.ts';

/** What a program asks a person for. */
export interface ConnectionRequest {
  /** As it calls itself. */
  readonly clientName: string;
  /** Where the browser goes afterwards: a host, `this computer`, or the scheme of an app. */
  readonly returnsTo: string;
}

export interface AuthorizationDeps extends Pick<OpenedMembers, 'limits' | 'as'> {
  readonly auth: Auth;
  readonly database: Database;
}

/**
 * better-auth's OAuth 2.1 provider, bound to organizations, as the console and whoever serves its routes use it. A query is what a
 * page was opened with by the provider and is signed by it: it holds for ten minutes.
 */
export class OAuthAuthorization {
  readonly #settings: Pick<PeopleSettings, 'publicUrl'>;
  readonly #deps: AuthorizationDeps;
  readonly #database: Database;

  constructor(settings: Pick<PeopleSettings, 'publicUrl'>, deps: AuthorizationDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#database = deps.database;
  }

  /** Undefined where the request was changed or is over, or its program is not known any more. */
  async describe(query: string): Promise<ConnectionRequest | undefined> {
    const parameters = new URLSearchParams(query);
    const clientId = parameters.get('client_id') ?? '';
    // Any route refuses a query that the provider has not signed, or signed too long ago; this one does nothing else.
    const response = await this.#post('/oauth2/public-client-prelogin', { client_id: clientId, oauth_query: query });
    if (response.status >= 500) throw new Error(`the OAuth provider answered a signed query with ${response.status}`);
    const client = response.ok ? await this.#findClient(clientId) : undefined;
    if (client === undefined) return undefined;
    return { clientName: client.clientName, returnsTo: placeOf(new URL(parameters.get('redirect_uri') ?? '')) };
  }

  /** Whether a program is registered under this id. */
  async knows(clientId: string): Promise<boolean> {
    return (await this.#findClient(clientId)) !== undefined;
  }

  /**
   * Connects the program to an organization of the session's person; resolves to the program's own address, where the browser goes.
   * Rejects with `not_found` where the person does not belong to it, and with `usage` where the request is over or was changed.
   */
  async accept(
    query: string,
    {
      session,
      cookies,
      origin,
    }: { readonly session: Session; readonly cookies: string | undefined; readonly origin: Origin },
    organizationId: string,
  ): Promise<string> {
    const { person } = session;
    const actor = { person, origin };
    await orUnavailable(() => assertMember(this.#database, organizationId, actor));
    const to = await withOrganization(organizationId, () => this.#decideConsent(query, { accept: true, cookies }));
    const { clientId, clientName } = await this.#getClient(new URLSearchParams(query).get('client_id') ?? '');
    await this.#deps.as(actor).change(async (transaction, note) => {
      const { id } = await transaction
        .updateTable('connections')
        .set(({ ref }) => ({ client_id: ref('client_id') }))
        .where('client_id', '=', clientId)
        .where('person_id', '=', person.id)
        .where('organization_id', '=', organizationId)
        .returning('id')
        .executeTakeFirstOrThrow();
      await note({
        organizationId,
        action: 'connection.create',
        subjectId: id,
        details: { client: clientName, to: placeOf(new URL(to)) },
      });
    });
    return to;
  }

  /** Tells the program that it may not; resolves to its own address. Rejects with `usage` as `accept` does. */
  deny(query: string, { cookies }: { readonly cookies: string | undefined }): Promise<string> {
    return this.#decideConsent(query, { accept: false, cookies });
  }

  /**
   * Registers a program (RFC 7591), and counts it; resolves to what it is answered. Of apps that are known by a scheme of their own the
   * addresses are taken as well.
   */
  async register(registration: Readonly<Record<string, unknown>>, { address }: Origin): Promise<Response | TooMany> {
    const refused = await this.#deps.limits.hit('registrationsPerOrigin', limitedOrigin(address));
    if (refused !== undefined) return refused;
    const { redirect_uris: wanted } = registration;
    const redirects: readonly unknown[] = Array.isArray(wanted) ? wanted : [];
    const others = redirects.filter((redirect) => !isAppRedirect(redirect));
    if (others.length === redirects.length) return this.#register(registration);
    const response = await this.#register({
      ...registration,
      redirect_uris: others.length === 0 ? [PLACEHOLDER] : others,
      application_type: 'native',
    });
    if (!response.ok) return response;
    const registered = (await response.json()) as { readonly client_id: string }; // RFC 7591, 3.2.1.
    await orUnavailable(() =>
      this.#database
        .updateTable('oauth_clients')
        .set({ redirect_uris: JSON.stringify(redirects) })
        .where('client_id', '=', registered.client_id)
        .execute(),
    );
    return Response.json({ ...registered, redirect_uris: redirects }, { status: response.status });
  }

  /**
   * Answers what the protocol asks: authorization, tokens, revocation, as {@link OAUTH_PATHS} has them. A browser is sent to pages of the
   * console alone: what is refused there is told on one of them, and not by a redirect to an address that anybody can register (RFC 9700,
   * 4.11).
   */
  async handle(request: Request): Promise<Response> {
    const response = await orUnavailable(() => this.#deps.auth.handler(request));
    const location = response.headers.get('location');
    const consolePages = `${this.#settings.publicUrl}${CONSOLE_PATHS.home}/`;
    if (location === null || location.startsWith(consolePages)) return response;
    const failed = new URL(this.#settings.publicUrl + CONSOLE_PATHS.connectFailed);
    const [, error = ''] = /[?&#]error=(\w+)/.exec(location) ?? [];
    failed.searchParams.set('error', error);
    return new Response(null, { status: response.status, headers: { location: failed.href } });
  }

  #register(registration: Readonly<Record<string, unknown>>): Promise<Response> {
    return this.#post(OAUTH_PATHS.register, registration);
  }

  #post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    return this.handle(new Request(this.#settings.publicUrl + path, { ...init, body: JSON.stringify(body) }));
  }

  /** What the provider answers a consent with: where the browser goes. */
  async #decideConsent(
    query: string,
    { accept, cookies = '' }: { readonly accept: boolean; readonly cookies: string | undefined },
  ): Promise<string> {
    const { publicUrl } = this.#settings;
    const headers = { cookie: cookies, origin: new URL(publicUrl).origin };
    const response = await this.#post('/oauth2/consent', { accept, oauth_query: query }, headers);
    if (response.status >= 500) throw new Error(`the OAuth provider answered a consent with ${response.status}`);
    const { url } = response.ok ? ((await response.json()) as { readonly url?: string }) : {}; // What it documents.
    if (url === undefined || url.startsWith(publicUrl + CONSOLE_PATHS.connectFailed))
      throw new AppError('usage', 'this request is over: start again from the program');
    return url;
  }

  async #getClient(clientId: string) {
    const client = await this.#findClient(clientId);
    if (client === undefined) throw new AppError('usage', 'the program is not known any more: start again from it');
    return client;
  }

  async #findClient(clientId: string): Promise<{ readonly clientId: string; readonly clientName: string } | undefined> {
    const row = await orUnavailable(() =>
      this.#database.selectFrom('oauth_clients').select('name').where('client_id', '=', clientId).executeTakeFirst(),
    );
    return row === undefined ? undefined : { clientId, clientName: shownProgramName(row.name) };
  }
}

/** Where a browser goes, as people know it. */
function placeOf(url: URL): string {
  if (!/^https?:$/.test(url.protocol)) return `the app of ${url.protocol}`;
  return isThisMachine(url) ? 'this computer' : url.host;
}

/**
 * Apps whose addresses to return to begin with a scheme of their own that is no name turned around, such as `com.example.app`. The
 * provider takes only those (RFC 8252, 7.1), since anybody could claim the others; these apps are known by theirs. A list, not a rule:
 * schemes open whatever program a machine has for them.
 */
const APP_SCHEMES: readonly string[] = ['cursor:', 'vscode:', 'vscode-insiders:'];

/** What an app returns to: its scheme, a place in it, and nothing that could be meant for another program. */
const FORM = /^[a-z-]+:\/\/[\w.-]+(?:\/[\w.-]+)*$/;

/** Stands for addresses that the provider does not take, while it makes the registration. */
const PLACEHOLDER = 'org.modelstats.placeholder:/none';

/** True for an address of one of the apps that are known. */
function isAppRedirect(redirect: unknown): boolean {
  if (typeof redirect !== 'string' || !FORM.test(redirect)) return false;
  return APP_SCHEMES.some((scheme) => redirect.startsWith(scheme));
}
