import type { JSX } from 'preact';
import { z } from 'zod';
import { OAUTH_PATHS } from '../../accounts/people/connections.ts';
import type { ConnectionRequest, OAuthAuthorization } from '../../accounts/people/oauth-authorization.ts';
import { CONSOLE_PATHS } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { Choice, Form, Problems } from '../shell/fields.tsx';
import { narrowPage } from '../shell/parts.tsx';
import { type ConsoleResponse, formPage, redirect, textOf } from '../shell/response.ts';
import {
  type ConsoleRoute,
  forAnybody,
  forPerson,
  type PageRequest,
  type PersonPages,
  type PersonRoute,
} from '../shell/routes.ts';
import { below } from './link-pages.tsx';

const ConnectForm = z.object({
  query: z.string(),
  organization: z.string({ error: 'Choose an organization.' }).min(1, 'Choose an organization.'),
  answer: z.enum(['allow', 'deny']),
});

/** Asks whether a program may connect, and to which organization. */
export function connectRoutes({ people: { authorization } }: Pick<PageDeps, 'people'>): readonly ConsoleRoute[] {
  return authorization === undefined ? [] : [...consentRoutes(authorization), FAILED];
}

function consentRoutes(authorization: OAuthAuthorization): readonly PersonRoute[] {
  const show = async (pages: PersonPages): Promise<ConsoleResponse> => {
    const query = textOf(pages.form, 'query') || queryOf(pages);
    const request = await authorization.describe(query);
    if (request === undefined) return requestExpired();
    const body = <ConnectPage pages={pages} request={request} query={query} />;
    return formPage(`Connect ${request.clientName}?`, body, pages);
  };
  return [
    forPerson.page(below(CONSOLE_PATHS.connect), show),
    forPerson.form(below(CONSOLE_PATHS.connect), {
      fields: ConnectForm,
      show,
      work: async (pages, { query, organization, answer }) => {
        if (answer === 'deny') return forward(await authorization.deny(query, pages), 'Not connected');
        return forward(await authorization.accept(query, pages, organization), 'Connected');
      },
    }),
    // After signing in, repeats the program's request to the provider.
    forPerson.page(below(CONSOLE_PATHS.connectSignedIn), (pages) => {
      const parameters = new URLSearchParams(queryOf(pages));
      for (const name of [...parameters.keys()]) if (/^(?:sig|exp|ba_.*)$/.test(name)) parameters.delete(name);
      return redirect(`${pages.root.slice(0, -CONSOLE_PATHS.home.length)}${OAUTH_PATHS.authorize}?${parameters}`);
    }),
  ];
}

/** For requests refused before a person was asked. The address is unsigned, so the page shows only texts of its own. */
const FAILED = forAnybody.page(below(CONSOLE_PATHS.connectFailed), ({ query }) => {
  const text = (
    <>
      <p>
        A program tried to connect to your account. <span>{REASONS.get(query['error'] ?? '') ?? UNKNOWN_REASON}</span>
      </p>
      <p>
        Nothing was connected, and the program was not notified. Close this page. If you started this yourself, remove
        the connection in the program and add it again.
      </p>
    </>
  );
  return narrowPage('Not connected', text, 400);
});

function requestExpired(): ConsoleResponse {
  const text = <p>Start again from the program that you want to connect: its requests are valid for ten minutes.</p>;
  return narrowPage('This request has expired', text, 410);
}

const UNKNOWN_REASON = 'Its request failed.';

/** By the provider's code. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['invalid_client', 'The program is not registered here, or no longer.'],
  ['invalid_redirect', 'Its return address is not registered.'],
  ['invalid_request', 'Its request is invalid or incomplete, for example without PKCE with S256 (invalid_request).'],
  ['invalid_scope', 'It requested a right that does not exist here (invalid_scope).'],
  ['invalid_target', 'It requested access to another service (invalid_target).'],
  ['unauthorized_client', 'It did not register for this kind of connection (unauthorized_client).'],
  ['unsupported_response_type', 'It requested another response than a code (unsupported_response_type).'],
]);

/** Back to the program. */
function forward(address: string, title: string): ConsoleResponse {
  const text = (
    <p>
      You are returning to the program. If nothing happens, <a href={address}>follow this link</a>.
    </p>
  );
  return { ...narrowPage(title, text), forwardTo: address };
}

function queryOf({ url }: PageRequest): string {
  return url.slice(url.indexOf('?') + 1);
}

interface ConnectPageProps {
  readonly pages: PersonPages;
  readonly request: ConnectionRequest;
  readonly query: string;
}

function ConnectPage({ pages, request, query }: ConnectPageProps): JSX.Element {
  const { root, token, memberships, session, form } = pages;
  const { clientName, returnsTo } = request;
  return (
    <div class="narrow">
      <h1>{`Connect ${clientName}?`}</h1>
      <p>{`It requests access to modelstats over MCP, for an organization of ${session.person.email}.`}</p>
      <ul>
        <li>
          It reads what the plan of the organization includes. It can change nothing, and sees no keys and members.
        </li>
        <li>Its requests count against the quota of the organization.</li>
        <li>{`Afterwards your browser goes to ${returnsTo}.`}</li>
        <li>You can end the connection at any time on the page “Connections”.</li>
      </ul>
      <p>
        <strong>Continue only if you have just started this yourself.</strong> Programs choose their own names, and
        nobody has verified this one.
      </p>
      <Problems of={pages} />
      {memberships.length === 0 ? (
        <p>
          You belong to no organization yet. <a href={`${root}/welcome`}>Create one</a>, then start again from the
          program.
        </p>
      ) : (
        <Form action={root + below(CONSOLE_PATHS.connect)} token={token}>
          <input type="hidden" name="query" value={query} />
          <Choice
            label="For which organization"
            name="organization"
            options={memberships.map(({ organizationId, organizationName }) => ({
              value: organizationId,
              label: organizationName,
            }))}
            chosen={textOf(form, 'organization') || session.organizationId || undefined}
          />
          <p class="actions">
            <button type="submit" name="answer" value="allow">
              Allow
            </button>
            <button type="submit" name="answer" value="deny" class="quiet">
              Don’t allow
            </button>
          </p>
        </Form>
      )}
    </div>
  );
}
