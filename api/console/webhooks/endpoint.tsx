import { z } from 'zod';
import type { Endpoint } from '../../webhooks/endpoints/endpoint.ts';
import { DELIVERY_STATES } from '../../webhooks/queue/delivery-queue.ts';
import type { PageDeps } from '../console-deps.ts';
import { type ConsoleAnswer, formPage, page, redirect } from '../shell/answer.ts';
import type { FormProblems } from '../shell/form.ts';
import { withQuery } from '../shell/parts.tsx';
import type { OrganizationRoute } from '../shell/routes.ts';
import { NO_FIELDS, submit } from '../shell/submit.ts';
import type { OrganizationPages } from '../shell/visitor.ts';
import { DELIVERIES_SHOWN } from './deliveries.tsx';
import { EndpointPage } from './endpoint-page.tsx';
import { ownEndpoint } from './own-endpoint.ts';
import { SecretPage } from './secret-page.tsx';

const DAY_MS = 86_400_000;
const PINGS_PER_MINUTE = 6;
const TOO_MANY_PINGS = { '': 'These are many pings: wait for a minute.' };
const ReplayForm = z.object({ days: z.enum(['1', '7', '30']) });

/** One endpoint: its state, what can be done with it, and what was sent to it. */
export function endpointRoutes({
  accounts,
  webhooks,
}: Pick<PageDeps, 'accounts' | 'webhooks'>): readonly OrganizationRoute[] {
  const endpointsAs = ({ actor }: OrganizationPages) => webhooks.endpointsAs(actor);
  const logAs = ({ actor }: OrganizationPages) => webhooks.logAs(actor);
  const pathOf = ({ path, params }: OrganizationPages) => `${path}/webhooks/${params['endpoint']}`;

  const show = async (pages: OrganizationPages, problems?: FormProblems): Promise<ConsoleAnswer> => {
    const endpoint = await ownEndpoint(pages, webhooks);
    const { state, topic, before } = pages.query;
    const deliveries = await logAs(pages).list({
      endpointId: endpoint.id,
      state: DELIVERY_STATES.find((known) => known === state),
      topic: topic === '' ? undefined : topic,
      before,
      limit: DELIVERIES_SHOWN,
    });
    const body = <EndpointPage pages={pages} endpoint={endpoint} deliveries={deliveries} problems={problems} />;
    return formPage('Endpoint', body, problems);
  };
  /** A form about an endpoint; what can't be, such as a replay to a revoked one, is said on its page. */
  const action = <T,>(name: string, schema: z.ZodType<T>, work: (at: ActedOn, fields: T) => Promise<ConsoleAnswer>) =>
    ({
      kind: 'organization',
      method: 'POST',
      path: `/webhooks/:endpoint/${name}`,
      answer: (pages) =>
        submit(schema, pages, {
          show,
          work: async (fields) => work({ pages, endpoint: await ownEndpoint(pages, webhooks) }, fields),
        }),
    }) satisfies OrganizationRoute;
  /** Each ping is a request to somebody's server. */
  const mayPing = async ({ session }: OrganizationPages, { id }: Endpoint) => {
    const ping = { what: `ping ${id}`, perMinute: PINGS_PER_MINUTE };
    return !(await accounts.limits.hit(session.person.id, ping)).refused;
  };
  return [
    { kind: 'organization', method: 'GET', path: '/webhooks/:endpoint', answer: (pages) => show(pages) },
    action('enable', NO_FIELDS, async ({ pages, endpoint }) => {
      if (!(await mayPing(pages, endpoint))) return show(pages, TOO_MANY_PINGS);
      await endpointsAs(pages).enable(endpoint.id);
      return redirect(`${pathOf(pages)}?done=enabled`);
    }),
    action('test', NO_FIELDS, async ({ pages, endpoint }) => {
      if (!(await mayPing(pages, endpoint))) return show(pages, TOO_MANY_PINGS);
      await endpointsAs(pages).test(endpoint.id);
      return redirect(`${pathOf(pages)}?done=tested`);
    }),
    action('rotate', NO_FIELDS, async ({ pages, endpoint: { id } }) => {
      const { endpoint, secret } = await endpointsAs(pages).rotateSecret(id);
      return page('Its new secret', <SecretPage pages={pages} endpoint={endpoint} secret={secret} isNew={false} />);
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

/** An endpoint with which somebody does something. */
interface ActedOn {
  readonly pages: OrganizationPages;
  readonly endpoint: Endpoint;
}
