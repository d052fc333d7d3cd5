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

/** A program's request for consent. */
export interface ConnectionRequest {
  /** The program's own claim. */
  readonly clientName: string;
  /** Where the browser returns: a host, `this computer`, or an app's scheme. */
  readonly returnsTo: string;
}

export interface AuthorizationDeps extends Pick<OpenedMembers, 'limits' | 'as'> {
  readonly auth: Auth;
  readonly database: Database;
}

/**
 * better-auth's OAuth 2.1 provider, bound to organizations. `query` is the signed query of a console page, valid for
 * ten minutes.
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

  /** Undefined if the request was changed or expired, or the program is unknown. */
  async describe(query: string): Promise<ConnectionRequest | undefined> {
    const parameters = new URLSearchParams(query);
    const clientId = parameters.get('client_id') ?? '';
    // Every route refuses a query with a wrong or old signature; this one does nothing else.
    const response = await this.#post('/oauth2/public-client-prelogin', { client_id: clientId, oauth_query: query });
    if (response.status >= 500) throw new Error(`the OAuth provider returned ${response.status} for a signed query`);
    const client = response.ok ? await this.#findClient(clientId) : undefined;
    if (client === undefined) return undefined;
    return { clientName: client.clientName, returnsTo: destinationOf(new URL(parameters.get('redirect_uri') ?? '')) };
  }

  async knows(clientId: string): Promise<boolean> {
    return (await this.#findClient(clientId)) !== undefined;
  }

  /**
   * Resolves to the program's address for the browser. Rejects with `not_found` for non-members, and with `usage` if
   * the request was changed or expired.
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
        details: { client: clientName, to: destinationOf(new URL(to)) },
      });
    });
    return to;
  }

  /** Resolves and rejects as `accept` does. */
  deny(query: string, { cookies }: { readonly cookies: string | undefined }): Promise<string> {
    return this.#decideConsent(query, { accept: false, cookies });
  }

  /** RFC 7591; counts registrations and also accepts the schemes of known apps. */
  async register(registration: Readonly<Record<string, unknown>>, { address }: Origin): Promise<Response | TooMany> {
    const refused = await this.#deps.limits.hit('registrationsPerOrigin', limitedOrigin(address));
    if (refused !== undefined) return refused;
    const { redirect_uris: requested } = registration;
    const redirects: readonly unknown[] = Array.isArray(requested) ? requested : [];
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
   * Browsers are only sent to console pages, which show errors instead of redirecting to an address that anybody can
   * register (RFC 9700, 4.11).
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

  /** Resolves to the address for the browser. */
  async #decideConsent(
    query: string,
    { accept, cookies = '' }: { readonly accept: boolean; readonly cookies: string | undefined },
  ): Promise<string> {
    const { publicUrl } = this.#settings;
    const headers = { cookie: cookies, origin: new URL(publicUrl).origin };
    const response = await this.#post('/oauth2/consent', { accept, oauth_query: query }, headers);
    if (response.status >= 500) throw new Error(`the OAuth provider returned ${response.status} for a consent`);
    const { url } = response.ok ? ((await response.json()) as { readonly url?: string }) : {}; // As documented by better-auth.
    if (url === undefined || url.startsWith(publicUrl + CONSOLE_PATHS.connectFailed))
      throw new AppError('usage', 'this request has expired: start again from the program');
    return url;
  }

  async #getClient(clientId: string) {
    const client = await this.#findClient(clientId);
    if (client === undefined) throw new AppError('usage', 'the program is no longer registered: start again from it');
    return client;
  }

  async #findClient(clientId: string): Promise<{ readonly clientId: string; readonly clientName: string } | undefined> {
    const row = await orUnavailable(() =>
      this.#database.selectFrom('oauth_clients').select('name').where('client_id', '=', clientId).executeTakeFirst(),
    );
    return row === undefined ? undefined : { clientId, clientName: shownProgramName(row.name) };
  }
}

/** A destination for people to read. */
function destinationOf(url: URL): string {
  if (!/^https?:$/.test(url.protocol)) return `the app of ${url.protocol}`;
  return isThisMachine(url) ? 'this computer' : url.host;
}

/**
 * Redirect schemes of apps that aren't reversed domains. The provider refuses them, since anybody could claim one (RFC
 * 8252, 7.1). A list, because a scheme can open any program.
 */
const APP_SCHEMES: readonly string[] = ['cursor:', 'vscode:', 'vscode-insiders:'];

/** A scheme and a path, with nothing that another program could interpret. */
const FORM = /^[a-z-]+:\/\/[\w.-]+(?:\/[\w.-]+)*$/;

/** Replaces addresses that the provider refuses during registration. */
const PLACEHOLDER = 'org.modelstats.placeholder:/none';

function isAppRedirect(redirect: unknown): boolean {
  if (typeof redirect !== 'string' || !FORM.test(redirect)) return false;
  return APP_SCHEMES.some((scheme) => redirect.startsWith(scheme));
}
