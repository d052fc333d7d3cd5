import type { JSX } from 'preact';
import { notFound } from '../../server/errors/http-error.ts';
import type { LoggedDeliveryWithAttempts } from '../../webhooks/delivery-log.ts';
import type { Attempt } from '../../webhooks/queue/delivery.ts';
import type { PageDeps } from '../console-deps.ts';
import { Form, Problems } from '../shell/fields.tsx';
import { Badge, Facts, Instant, Section } from '../shell/parts.tsx';
import { formPage, NO_FIELDS, redirect } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';
import { DELIVERY_KINDS_SHOWN, describeAttempt, describeLast } from './deliveries.tsx';
import { ownEndpoint } from './endpoints.tsx';

/** One delivery with its attempts and responses. */
export function deliveryRoutes({ webhooks }: Pick<PageDeps, 'webhooks'>): readonly OrganizationRoute[] {
  const ownDelivery = async (pages: OrganizationPages) => {
    const { params, actor } = pages;
    await ownEndpoint(pages, webhooks);
    const delivery = await webhooks.logAs(actor).get(params['delivery'] ?? '');
    if (delivery.endpointId !== params['endpoint']) throw notFound(null, 'There is no such delivery');
    return delivery;
  };
  const show = async (pages: OrganizationPages) => {
    const body = deliveryPage(pages, await ownDelivery(pages));
    return formPage('Delivery', body, pages);
  };
  return [
    forMembers.page('/webhooks/:endpoint/deliveries/:delivery', show),
    forMembers.form('/webhooks/:endpoint/deliveries/:delivery/replay', {
      fields: NO_FIELDS,
      show,
      work: async (pages) => {
        const { endpointId, id } = await ownDelivery(pages);
        await webhooks.logAs(pages.actor).replay(endpointId, id);
        return redirect(`${pages.path}/webhooks/${endpointId}?replayed=1`);
      },
    }),
  ];
}

function deliveryPage(pages: OrganizationPages, delivery: LoggedDeliveryWithAttempts): JSX.Element {
  const endpoint = `${pages.path}/webhooks/${delivery.endpointId}`;
  return (
    <>
      <p>
        <a href={endpoint}>Endpoint</a>
      </p>
      <h1>{`Delivery of ${delivery.topic}`}</h1>
      <Problems of={pages} />
      <Section title="Delivery">
        <Facts
          items={[
            ['State', delivery.state],
            ['Kind', DELIVERY_KINDS_SHOWN[delivery.kind]],
            ['Created', <Instant at={delivery.createdAt} />],
            ['Finished', <Instant at={delivery.finishedAt} />],
            ['Next attempt', <Instant at={delivery.nextAttemptAt} />],
            ['Change', delivery.seq === null ? 'none' : `number ${delivery.seq}`],
            ['Id', <code>{delivery.id}</code>],
            ['Event', <code>{delivery.eventId}</code>],
          ]}
        />
        {delivery.kind !== 'ping' && delivery.state !== 'waiting' && (
          <Form action={`${endpoint}/deliveries/${delivery.id}/replay`} token={pages.token} className="inline">
            <button type="submit">Replay</button>
          </Form>
        )}
      </Section>
      {delivery.allAttempts.map((attempt) => (
        <AttemptSection attempt={attempt} />
      ))}
      {delivery.allAttempts.length === 0 && <p class="none">{describeLast(delivery)}</p>}
    </>
  );
}

function AttemptSection({ attempt }: { readonly attempt: Attempt }): JSX.Element {
  return (
    <Section title={`Attempt ${attempt.attempt}`}>
      <p>
        <Badge kind={attempt.outcome === 'delivered' ? 'good' : 'bad'} text={attempt.outcome} />{' '}
        <Instant at={attempt.startedAt} />
      </p>
      <p>{describeAttempt(attempt)}</p>
      {attempt.answer !== null && attempt.answer !== '' && (
        <>
          <p class="hint">Start of the response:</p>
          <pre tabindex={0}>{attempt.answer}</pre>
        </>
      )}
    </Section>
  );
}
