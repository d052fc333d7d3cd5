import type { JSX } from 'preact';
import { z } from 'zod';
import type { LoggedDelivery } from '../../webhooks/delivery-log.ts';
import type { Endpoint } from '../../webhooks/endpoints/endpoint.ts';
import { DELIVERY_STATES } from '../../webhooks/queue/delivery.ts';
import type { PageDeps } from '../console-deps.ts';
import { Confirmed, Form, Problems } from '../shell/fields.tsx';
import { type Fact, Facts, Instant, Notice, Section, withQuery } from '../shell/parts.tsx';
import { type ConsoleResponse, formPage, NO_FIELDS, page, redirect } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { DELIVERIES_SHOWN, Deliveries } from './deliveries.tsx';
import { EndpointState, ownEndpoint, SecretPage } from './endpoints.tsx';

const DAY_MS = 86_400_000;
const PINGS_PER_MINUTE = 6;
const TOO_MANY_PINGS = { '': 'Too many pings: wait a minute.' };
const ReplayForm = z.object({ days: z.enum(['1', '7', '30']) });

/** One endpoint: state, actions and deliveries. */
export function endpointRoutes({
  accounts,
  webhooks,
}: Pick<PageDeps, 'accounts' | 'webhooks'>): readonly OrganizationRoute[] {
  const endpointsAs = ({ actor }: OrganizationPages) => webhooks.endpointsAs(actor);
  const logAs = ({ actor }: OrganizationPages) => webhooks.logAs(actor);
  const pathOf = ({ path, params }: OrganizationPages) => `${path}/webhooks/${params['endpoint']}`;

  const show = async (pages: OrganizationPages): Promise<ConsoleResponse> => {
    const endpoint = await ownEndpoint(pages, webhooks);
    const { state, topic, before } = pages.query;
    const deliveries = await logAs(pages).list({
      endpointId: endpoint.id,
      state: DELIVERY_STATES.find((known) => known === state),
      topic: topic === '' ? undefined : topic,
      before,
      limit: DELIVERIES_SHOWN,
    });
    const body = <EndpointPage pages={pages} endpoint={endpoint} deliveries={deliveries} />;
    return formPage('Endpoint', body, pages);
  };
  /** A form about an endpoint, whose page shows impossible requests, such as a replay to a revoked one. */
  const action = <T,>(
    name: string,
    schema: z.ZodType<T>,
    work: (at: EndpointAction, fields: T) => Promise<ConsoleResponse>,
  ) =>
    forMembers.form(`/webhooks/:endpoint/${name}`, {
      fields: schema,
      show,
      work: async (pages, fields) => work({ pages, endpoint: await ownEndpoint(pages, webhooks) }, fields),
    });
  /** Each ping is a request to somebody's server. */
  const mayPing = async ({ session }: OrganizationPages, { id }: Endpoint) => {
    const ping = { what: `ping ${id}`, perMinute: PINGS_PER_MINUTE };
    return !(await accounts.limits.hit(session.person.id, ping)).refused;
  };
  return [
    forMembers.page('/webhooks/:endpoint', show),
    action('enable', NO_FIELDS, async ({ pages, endpoint }) => {
      if (!(await mayPing(pages, endpoint))) return show({ ...pages, problems: TOO_MANY_PINGS });
      await endpointsAs(pages).enable(endpoint.id);
      return redirect(`${pathOf(pages)}?done=enabled`);
    }),
    action('test', NO_FIELDS, async ({ pages, endpoint }) => {
      if (!(await mayPing(pages, endpoint))) return show({ ...pages, problems: TOO_MANY_PINGS });
      await endpointsAs(pages).test(endpoint.id);
      return redirect(`${pathOf(pages)}?done=tested`);
    }),
    action('rotate', NO_FIELDS, async ({ pages, endpoint: { id } }) => {
      const { endpoint, secret } = await endpointsAs(pages).rotateSecret(id);
      return page('New secret', <SecretPage pages={pages} endpoint={endpoint} secret={secret} isNew={false} />);
    }),
    action('remove', NO_FIELDS, async ({ pages, endpoint: { id } }) => {
      await endpointsAs(pages).remove(id);
      return redirect(`${pages.path}/webhooks?done=removed`);
    }),
    action('replay', ReplayForm, async ({ pages, endpoint: { id } }, { days }) => {
      const since = new Date(pages.now.getTime() - Number(days) * DAY_MS);
      const { deliveryIds, hasMore } = await logAs(pages).replayFailed(id, since);
      const query = { replayed: String(deliveryIds.length), more: hasMore ? '1' : undefined };
      return redirect(withQuery(pathOf(pages), query));
    }),
  ];
}

interface EndpointAction {
  readonly pages: OrganizationPages;
  readonly endpoint: Endpoint;
}

const DONE: ReadonlyMap<string, string> = new Map([
  ['enabled', 'A ping will be sent. A 2xx response activates the endpoint.'],
  ['tested', 'A ping will be sent, as the first of the deliveries below.'],
]);

interface EndpointPageProps {
  readonly pages: OrganizationPages;
  readonly endpoint: Endpoint;
  readonly deliveries: readonly LoggedDelivery[];
}

function EndpointPage({ pages, endpoint, deliveries }: EndpointPageProps): JSX.Element {
  const done = doneText(pages);
  return (
    <>
      <p>
        <a href={`${pages.path}/webhooks`}>All endpoints</a>
      </p>
      <h1 class="long">{endpoint.url}</h1>
      <Problems of={pages} />
      {done !== undefined && (
        <Notice kind="good">
          <p>{done}</p>
        </Notice>
      )}
      {endpoint.state === 'revoked' && (
        <Notice kind="bad">
          <p>
            It was revoked because 20 deliveries in a row failed, and gets no events. When it works again, enable it: it
            gets a ping. Once it is active, you can replay missed events below.
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
  const text = `${replayed === '1' ? '1 event' : `${Number(replayed)} events`} will be replayed.`;
  return query['more'] === undefined ? text : `${text} There are more: replay again when these are delivered.`;
}

function factsOf(endpoint: Endpoint): readonly Fact[] {
  const filters = [
    ...Object.entries(endpoint.filters).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`),
    ...endpoint.unknownFilters.map(
      (name) => `${name}: not known to this version of the service, so no events are sent`,
    ),
  ];
  return [
    ['State', <EndpointState endpoint={endpoint} />],
    ['Since', <Instant at={endpoint.stateChangedAt} />],
    ['Description', endpoint.description || 'none'],
    ['Topics', endpoint.topics.join(', ')],
    ['Filters', filters.join('; ') || 'none'],
    ['Mode', endpoint.mode === 'digest' ? 'one delivery per topic and night' : 'one delivery per event'],
    ['Failures in a row', String(endpoint.consecutiveFailures)],
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
        question="Replace the secret? The new one signs deliveries at once, so your server must know it."
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
