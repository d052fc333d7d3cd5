import type { JSX } from 'preact';
import type { LoggedDelivery } from '../../webhooks/administration/deliveries.ts';
import type { Endpoint } from '../../webhooks/endpoints/endpoint.ts';
import { Confirmed, Form, Problems } from '../shell/fields.tsx';
import type { FormProblems } from '../shell/form.ts';
import { Facts, Instant, Notice, Section } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/visitor.ts';
import { Deliveries } from './deliveries.tsx';
import { EndpointState } from './endpoints.tsx';

const DONE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    enabled: 'A ping waits to be sent; the endpoint is active once it was answered with a 2xx.',
    tested: 'A ping waits to be sent. It will be the first of the deliveries below.',
  }),
);

export interface EndpointPageProps {
  readonly pages: OrganizationPages;
  readonly endpoint: Endpoint;
  readonly deliveries: readonly LoggedDelivery[];
  readonly problems: FormProblems | undefined;
}

/** An endpoint's own page. */
export function EndpointPage({ pages, endpoint, deliveries, problems }: EndpointPageProps): JSX.Element {
  const done = doneText(pages);
  return (
    <>
      <p>
        <a href={`${pages.path}/webhooks`}>All endpoints</a>
      </p>
      <h1 class="long">{endpoint.url}</h1>
      <Problems problems={problems} />
      {done !== undefined && (
        <Notice kind="good">
          <p>{done}</p>
        </Notice>
      )}
      {endpoint.state === 'revoked' && (
        <Notice kind="bad">
          <p>
            It was revoked after 20 deliveries in a row had failed, and what is published now is not sent. When it is
            mended, enable it: it is asked again with a ping. Once it is active, what it missed can be sent again below.
          </p>
        </Notice>
      )}
      <Section title="Endpoint">
        <Facts items={factsOf(endpoint)} />
        <Actions pages={pages} endpoint={endpoint} />
      </Section>
      <Deliveries pages={pages} endpoint={endpoint} deliveries={deliveries} />
    </>
  );
}

function doneText({ query }: OrganizationPages): string | undefined {
  const replayed = query['replayed'];
  if (replayed === undefined) return DONE.get(query['done'] ?? '');
  const text = `${replayed === '1' ? '1 event waits' : `${Number(replayed)} events wait`} to be sent again.`;
  return query['more'] === undefined ? text : `${text} There are more: ask once more when these are done.`;
}

function factsOf(endpoint: Endpoint): readonly (readonly [string, JSX.Element])[] {
  const filters = Object.entries(endpoint.filters).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`);
  return [
    ['State', <EndpointState endpoint={endpoint} />],
    ['Since', <Instant at={endpoint.stateChangedAt} />],
    ['Description', <span>{endpoint.description || 'none'}</span>],
    ['Topics', <span>{endpoint.topics.join(', ')}</span>],
    ['Filters', <span>{filters.join('; ') || 'none'}</span>],
    ['How', <span>{endpoint.mode === 'digest' ? 'one delivery per topic and night' : 'one delivery per event'}</span>],
    ['Failures in a row', <span>{String(endpoint.consecutiveFailures)}</span>],
    ['Secret since', <Instant at={endpoint.secretChangedAt} />],
    ['Id', <code>{endpoint.id}</code>],
  ];
}

function Actions({ pages, endpoint }: { readonly pages: OrganizationPages; readonly endpoint: Endpoint }): JSX.Element {
  const { token } = pages;
  const here = `${pages.path}/webhooks/${endpoint.id}`;
  const { state } = endpoint;
  return (
    <div class="actions">
      {state === 'active' ? (
        <Form action={`${here}/test`} token={token} className="inline">
          <button type="submit">Send a ping</button>
        </Form>
      ) : (
        <Form action={`${here}/enable`} token={token} className="inline">
          <button type="submit">{state === 'registered' ? 'Send another ping' : 'Enable it'}</button>
        </Form>
      )}
      <Confirmed
        label="New secret"
        question="Replace the secret? Deliveries are signed with the new one at once, so your server must know it."
        action={`${here}/rotate`}
        token={token}
      />
      <Confirmed
        label="Remove"
        question="Remove this endpoint for good? Nothing more is sent to it."
        action={`${here}/remove`}
        token={token}
      />
    </div>
  );
}
