import type { Kysely } from 'kysely';
import { orUnavailable } from '../../../database/database-errors.ts';
import type { ControlTables } from '../../../database/tables.ts';
import { AppError } from '../../../schemas/errors.ts';
import { type AuditDeps, AuditedChanges } from '../../audit/audited-changes.ts';
import type { Authorization, ConnectionRequest } from '../connections.ts';
import type { AttemptLimits } from '../limits/attempt-limits.ts';
import { limitedOrigin } from '../limits/limited-origin.ts';
import { namedLimits } from '../limits/people-limits.ts';
import { assertMember } from '../members/acting.ts';
import { CONSOLE_PATHS, type Origin, type Session, type TooMany } from '../people.ts';
import type { PeopleSettings } from '../people-settings.ts';
import { actorOf } from '../person.ts';
import type { Auth } from '../sign-in/auth.ts';
import { withOrganization } from '../sign-in/oauth-provider.ts';
import { shownName } from './shown-name.ts';

export interface OAuthAuthorizationDeps {
  readonly auth: Auth;
  readonly audit: AuditDeps;
  readonly limits: AttemptLimits;
}

/** better-auth's OAuth provider, bound to organizations; what a method does is told in connections.ts. */
export class OAuthAuthorization implements Authorization {
  readonly #settings: Pick<PeopleSettings, 'publicUrl' | 'limits'>;
  readonly #deps: OAuthAuthorizationDeps;
  readonly #database: Kysely<ControlTables>;

  constructor(settings: Pick<PeopleSettings, 'publicUrl' | 'limits'>, deps: OAuthAuthorizationDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#database = deps.audit.database;
  }

  async describe(query: string): Promise<ConnectionRequest | undefined> {
    const parameters = new URLSearchParams(query);
    const redirect = parameters.get('redirect_uri') ?? '';
    if (!(Number(parameters.get('exp')) * 1000 > Date.now()) || !URL.canParse(redirect)) return undefined;
    const client = await this.#findClient(parameters.get('client_id') ?? '');
    if (client === undefined) return undefined;
    return { clientName: client.clientName, ...returnOf(new URL(redirect)) };
  }

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
    await orUnavailable(() => assertMember(this.#database, organizationId, { person }));
    const to = await withOrganization(organizationId, () => this.#answerConsent(query, { accept: true, cookies }));
    const { clientId, clientName } = await this.#getClient(new URLSearchParams(query).get('client_id') ?? '');
    await new AuditedChanges(this.#deps.audit, actorOf(person), origin.address).change(async (transaction, note) => {
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
        details: { client: clientName, to: returnOf(new URL(to)).returnsTo },
      });
    });
    return to;
  }

  deny(query: string, { cookies }: { readonly cookies: string | undefined }): Promise<string> {
    return this.#answerConsent(query, { accept: false, cookies });
  }

  countRegistration({ address }: Origin): Promise<TooMany | undefined> {
    return this.#deps.limits.hit(namedLimits(this.#settings.limits).registrationsPerOrigin, limitedOrigin(address));
  }

  handle(request: Request): Promise<Response> {
    return orUnavailable(() => this.#deps.auth.handler(request));
  }

  /** What the provider answers a consent with: where the browser goes. */
  async #answerConsent(
    query: string,
    { accept, cookies = '' }: { readonly accept: boolean; readonly cookies: string | undefined },
  ): Promise<string> {
    const { publicUrl } = this.#settings;
    const request = new Request(`${publicUrl}/oauth2/consent`, {
      method: 'POST',
      headers: { cookie: cookies, origin: new URL(publicUrl).origin, 'content-type': 'application/json' },
      body: JSON.stringify({ accept, oauth_query: query }),
    });
    const response = await this.handle(request);
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
    return row === undefined ? undefined : { clientId, clientName: shownName(row.name) };
  }
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

function returnOf(url: URL): Pick<ConnectionRequest, 'returnsTo' | 'formTarget'> {
  if (!/^https?:$/.test(url.protocol)) return { returnsTo: `the app of ${url.protocol}`, formTarget: url.protocol };
  const returnsTo = LOOPBACK.includes(url.hostname) ? 'this computer' : url.host;
  return { returnsTo, formTarget: IS_SOURCE.test(url.host) ? url.origin : url.protocol };
}

/** What a policy takes for a host: not `[::1]`, and nothing that would end the directive. */
const IS_SOURCE = /^[a-z0-9.-]+(?::\d+)?$/;
