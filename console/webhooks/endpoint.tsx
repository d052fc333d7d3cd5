import { z } from 'zod';
import { isAppError } from '../../schemas/errors.ts';
import type { LoggedDelivery } from '../../webhooks/administration/deliveries.ts';
import type { Endpoint } from '../../webhooks/endpoints/endpoint.ts';
import { DELIVERY_STATES } from '../../webhooks/queue/delivery-queue.ts';
import { TOPICS } from '../../webhooks/topic.ts';
import type { PageDeps } from '../console-deps.ts';
import { type ConsoleAnswer, page, redirect } from '../shell/answer.ts';
import { Choice, Confirmed, Form } from '../shell/fields.tsx';
import { parseForm } from '../shell/form.ts';
import { Badge, Facts, Instant, Notice, Section, Table, withQuery } from '../shell/parts.tsx';
import type { OrganizationRoute } from '../shell/routes.ts';
import type { OrganizationPages } from '../shell/visitor.ts';
import { DELIVERY_KINDS_SHOWN, describeAttempt } from './describe-delivery.ts';
import { EndpointState } from './endpoints.tsx';
import { ownEndpoint } from './own-endpoint.ts';
import { SecretPage } from './secret-page.tsx';

const DAY_MS = 86_400_000;
const DELIVERIES_SHOWN = 50;
/** Pings that may be asked for in a minute: each is a request to somebody's server. */
const TESTS_PER_MINUTE = 6;
const ReplayForm = z.object({ days: z.enum(['1', '7', '30']) });
const REPLAY_CHOICES = [
  { value: '1', label: 'of the last day' },
  { value: '7', label: 'of the last 7 days' },
  { value: '30', label: 'of the last 30 days' },
] as const;

const DONE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    enabled: 'A ping waits to be sent; the endpoint is active once it was answered with a 2xx.',
    tested: 'A ping waits to be sent. It will be the first of the deliveries below.',
    removed: 'The endpoint was removed.',
  }),
);

/** One endpoint: its state, what can be done with it, and what was sent to it. */
export function endpointRoutes({
  accounts,
  webhooks,
}: Pick<PageDeps, 'accounts' | 'webhooks'>): readonly OrganizationRoute[] {
  const endpointsAs = ({ session, origin }: OrganizationPages) => webhooks.endpointsAs(session.person, origin);
  const logAs = ({ session, origin }: OrganizationPages) => webhooks.logAs(session.person, origin);
  const pathOf = ({ path, params }: OrganizationPages) => `${path}/webhooks/${params['endpoint']}`;

  const show = async (pages: OrganizationPages, problem?: string): Promise<ConsoleAnswer> => {
    const endpoint = await ownEndpoint(pages, webhooks);
    const { state, topic, before } = pages.query;
    const deliveries = await logAs(pages).list({
      endpointId: endpoint.id,
      state: DELIVERY_STATES.find((known) => known === state),
      topic: topic === '' ? undefined : topic,
      before,
      limit: DELIVERIES_SHOWN,
    });
    const body = <EndpointPage pages={pages} endpoint={endpoint} deliveries={deliveries} problem={problem} />;
    return page('Endpoint', body, { status: problem === undefined ? 200 : 422 });
  };
  /** A form about an endpoint; what can't be, such as a replay to a revoked one, is said on its page. */
  const action = (
    name: string,
    work: (pages: OrganizationPages, endpoint: Endpoint) => Promise<ConsoleAnswer>,
  ): OrganizationRoute => ({
    kind: 'organization',
    method: 'POST',
    path: `/webhooks/:endpoint/${name}`,
    answer: async (pages) => {
      const endpoint = await ownEndpoint(pages, webhooks);
      try {
        return await work(pages, endpoint);
      } catch (error) {
        if (isAppError(error, 'usage')) return show(pages, error.message);
        throw error;
      }
    },
  });
  const assertMayTest = async ({ organization, session }: OrganizationPages, { id }: Endpoint) => {
    const caller = {
      organizationId: organization.id,
      apiKeyId: session.person.id,
      terms: organization.terms,
      clientSource: 'api_key',
    } as const;
    const state = await accounts.backstop.hit(caller, { route: `ping ${id}`, limit: TESTS_PER_MINUTE, isFixed: true });
    return !state.refused;
  };
  return [
    { kind: 'organization', method: 'GET', path: '/webhooks/:endpoint', answer: (pages) => show(pages) },
    action('enable', async (pages, { id }) => {
      await endpointsAs(pages).enable(id);
      return redirect(`${pathOf(pages)}?done=enabled`);
    }),
    action('test', async (pages, endpoint) => {
      if (!(await assertMayTest(pages, endpoint))) return show(pages, 'These are many pings: wait for a minute.');
      await endpointsAs(pages).test(endpoint.id);
      return redirect(`${pathOf(pages)}?done=tested`);
    }),
    action('rotate', async (pages, { id }) => {
      const { endpoint, secret } = await endpointsAs(pages).rotateSecret(id);
      return page('Its new secret', <SecretPage pages={pages} endpoint={endpoint} secret={secret} isNew={false} />);
    }),
    action('remove', async (pages, { id }) => {
      await endpointsAs(pages).remove(id);
      return redirect(`${pages.path}/webhooks?done=removed`);
    }),
    action('replay', async (pages, { id }) => {
      const { fields } = parseForm(ReplayForm, pages.form);
      const since = new Date(pages.now.getTime() - Number(fields?.days ?? '1') * DAY_MS);
      const { deliveryIds, hasMore } = await logAs(pages).replayFailed(id, since);
      const query = { replayed: String(deliveryIds.length), more: hasMore ? '1' : undefined };
      return redirect(withQuery(pathOf(pages), query));
    }),
  ];
}

interface EndpointPageProps {
  readonly pages: OrganizationPages;
  readonly endpoint: Endpoint;
  readonly deliveries: readonly LoggedDelivery[];
  readonly problem: string | undefined;
}

function EndpointPage({ pages, endpoint, deliveries, problem }: EndpointPageProps): JSX.Element {
  const done = doneText(pages);
  return (
    <>
      <p>
        <a href={`${pages.path}/webhooks`}>All endpoints</a>
      </p>
      <h1 class="long" safe>
        {endpoint.url}
      </h1>
      {problem !== undefined && (
        <Notice kind="bad">
          <p safe>{problem}</p>
        </Notice>
      )}
      {done !== undefined && (
        <Notice kind="good">
          <p safe>{done}</p>
        </Notice>
      )}
      {endpoint.state === 'revoked' && (
        <Notice kind="bad">
          <p>
            It was revoked after 20 deliveries in a row had failed, and what happens now is not sent later. When it is
            mended, enable it: it is asked again with a ping.
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
    ['Description', <span safe>{endpoint.description || 'none'}</span>],
    ['Topics', <span safe>{endpoint.topics.join(', ')}</span>],
    ['Filters', <span safe>{filters.join('; ') || 'none'}</span>],
    [
      'How',
      <span safe>{endpoint.mode === 'digest' ? 'one delivery per topic and night' : 'one delivery per event'}</span>,
    ],
    ['Failures in a row', <span safe>{String(endpoint.consecutiveFailures)}</span>],
    ['Secret since', <Instant at={endpoint.secretChangedAt} />],
    ['Id', <code safe>{endpoint.id}</code>],
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

function Deliveries({ pages, endpoint, deliveries }: Omit<EndpointPageProps, 'problem'>): JSX.Element {
  const { query, token } = pages;
  const here = `${pages.path}/webhooks/${endpoint.id}`;
  const last = deliveries.at(-1);
  const part = {
    'hx-get': here,
    'hx-select': '#deliveries',
    'hx-target': '#deliveries',
    'hx-swap': 'outerHTML',
    'hx-push-url': 'true',
  };
  return (
    <Section title="Deliveries of the last 30 days">
      <form method="get" action={here} class="form row filters" {...part} hx-trigger="submit, change">
        <Choice
          label="State"
          name="state"
          options={[{ value: '', label: 'any' }, ...DELIVERY_STATES.map(asChoice)]}
          chosen={query['state']}
        />
        <Choice
          label="Topic"
          name="topic"
          options={[{ value: '', label: 'any' }, ...[...TOPICS, 'ping'].map(asChoice)]}
          chosen={query['topic']}
        />
        <button type="submit">Show</button>
      </form>
      <div id="deliveries" aria-live="polite">
        <Table
          caption="Deliveries, newest first"
          columns={['Made', 'Topic', 'Kind', 'State', 'Attempts', 'Last attempt', '']}
          rows={deliveries.map((delivery) => <DeliveryRow delivery={delivery} here={here} />)}
          empty="None."
        />
        {last !== undefined && deliveries.length === DELIVERIES_SHOWN && (
          <nav class="pager" aria-label="More deliveries">
            <a href={withQuery(here, { state: query['state'], topic: query['topic'], before: last.id })} rel="next">
              Older
            </a>
          </nav>
        )}
      </div>
      {endpoint.state === 'active' && (
        <Form action={`${here}/replay`} token={token} className="form row">
          <Choice label="Send again what failed" name="days" options={REPLAY_CHOICES} />
          <button type="submit">Send again</button>
        </Form>
      )}
    </Section>
  );
}

function asChoice(value: string) {
  return { value, label: value };
}

const STATE_KINDS = { waiting: 'plain', delivered: 'good', failed: 'bad', dropped: 'bad' } as const;

function DeliveryRow({ delivery, here }: { readonly delivery: LoggedDelivery; readonly here: string }): JSX.Element {
  const { id, topic, kind, state, attempts, createdAt, lastAttempt } = delivery;
  return (
    <tr>
      <td>
        <Instant at={createdAt} />
      </td>
      <td safe>{topic}</td>
      <td safe>{DELIVERY_KINDS_SHOWN[kind]}</td>
      <td>
        <Badge kind={STATE_KINDS[state]} text={state} />
      </td>
      <td class="number" safe>
        {String(attempts)}
      </td>
      <td class="wide" safe>
        {describeAttempt(lastAttempt)}
      </td>
      <td>
        <a href={`${here}/deliveries/${id}`} aria-label={`Details of delivery ${id}`}>
          Details
        </a>
      </td>
    </tr>
  );
}
