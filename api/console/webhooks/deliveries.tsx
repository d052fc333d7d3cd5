import type { JSX } from 'preact';
import type { LoggedDelivery } from '../../webhooks/delivery-log.ts';
import type { Endpoint } from '../../webhooks/endpoints/endpoint.ts';
import { type Attempt, DELIVERY_STATES, type DeliveryKind } from '../../webhooks/queue/delivery.ts';
import { TOPICS } from '../../webhooks/topics/topics.ts';
import { Choice, Form } from '../shell/fields.tsx';
import { Badge, Instant, inPlace, PageLinks, Section, Table, withQuery } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/routes.ts';

/** Per page. */
export const DELIVERIES_SHOWN = 50;

const REPLAY_CHOICES = [
  { value: '1', label: 'of the last day' },
  { value: '7', label: 'of the last 7 days' },
  { value: '30', label: 'of the last 30 days' },
] as const;

export interface DeliveriesProps {
  readonly pages: OrganizationPages;
  readonly endpoint: Endpoint;
  readonly deliveries: readonly LoggedDelivery[];
}

/** With filters, and the replay of failures. */
export function Deliveries({ pages, endpoint, deliveries }: DeliveriesProps): JSX.Element {
  const { token } = pages;
  const { state, topic } = pages.query;
  const here = `${pages.path}/webhooks/${endpoint.id}`;
  const last = deliveries.at(-1);
  return (
    <Section title="Deliveries of the last 30 days">
      <form
        method="get"
        action={here}
        class="form row filters"
        {...inPlace(here, '#deliveries')}
        hx-trigger="submit, change"
      >
        <Choice
          label="State"
          name="state"
          options={[{ value: '', label: 'any' }, ...DELIVERY_STATES.map(asChoice)]}
          chosen={state}
        />
        <Choice
          label="Topic"
          name="topic"
          options={[{ value: '', label: 'any' }, ...[...TOPICS, 'ping'].map(asChoice)]}
          chosen={topic}
        />
        <button type="submit">Show</button>
      </form>
      <div id="deliveries" aria-live="polite">
        <Table
          caption="Deliveries, newest first"
          columns={['Created', 'Topic', 'Kind', 'State', ['Attempts', 'number'], ['Last attempt', 'wide'], '']}
          rows={deliveries.map((delivery) => deliveryCells(delivery, here))}
          empty="None."
        />
        {last !== undefined && deliveries.length === DELIVERIES_SHOWN && (
          <PageLinks
            label="More deliveries"
            after={{ href: withQuery(here, { state, topic, before: last.id }), text: 'Older' }}
          />
        )}
      </div>
      {endpoint.state === 'active' && (
        <Form action={`${here}/replay`} token={token} className="form row">
          <Choice label="Replay failed and dropped events" name="days" options={REPLAY_CHOICES} />
          <button type="submit">Replay</button>
        </Form>
      )}
    </Section>
  );
}

function asChoice(value: string) {
  return { value, label: value };
}

const STATE_KINDS = { waiting: 'plain', delivered: 'good', failed: 'bad', dropped: 'bad' } as const;

function deliveryCells(delivery: LoggedDelivery, here: string) {
  const { id, topic, kind, state, attempts, createdAt } = delivery;
  return [
    <Instant at={createdAt} />,
    topic,
    DELIVERY_KINDS_SHOWN[kind],
    <Badge kind={STATE_KINDS[state]} text={state} />,
    String(attempts),
    describeLast(delivery),
    <a href={`${here}/deliveries/${id}`} aria-label={`Details of delivery ${id}`}>
      Details
    </a>,
  ];
}

export const DELIVERY_KINDS_SHOWN: Readonly<Record<DeliveryKind, string>> = {
  event: 'event',
  replay: 'replay',
  ping: 'ping',
};

/** Or why there was none. */
export function describeLast({ state, lastAttempt }: Pick<LoggedDelivery, 'state' | 'lastAttempt'>): string {
  if (lastAttempt !== null) return describeAttempt(lastAttempt);
  return state === 'dropped' ? 'not sent: the endpoint was not active' : 'not attempted yet';
}

export function describeAttempt(attempt: Attempt): string {
  const { outcome, status, message, durationMs } = attempt;
  if (outcome === 'delivered') return `response ${status} in ${Math.round(durationMs)} ms`;
  return message ?? (status === null ? outcome : `${outcome} ${status}`);
}
