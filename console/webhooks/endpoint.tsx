import { z } from 'zod';
import { isAppError } from '../../schemas/errors.ts';
import type { Endpoint } from '../../webhooks/endpoints/endpoint.ts';
import { DELIVERY_STATES } from '../../webhooks/queue/delivery-queue.ts';
import type { PageDeps } from '../console-deps.ts';
import { withQuery } from '../data/data-page.tsx';
import { type ConsoleAnswer, page, redirect } from '../shell/answer.ts';
import { hitPersonal } from '../shell/callers.ts';
import { parseForm } from '../shell/form.ts';
import type { OrganizationRoute } from '../shell/routes.ts';
import type { OrganizationPages } from '../shell/visitor.ts';
import { DELIVERIES_SHOWN } from './deliveries.tsx';
import { EndpointPage } from './endpoint-page.tsx';
import { ownEndpoint } from './own-endpoint.ts';
import { SecretPage } from './secret-page.tsx';

const DAY_MS = 86_400_000;
const PINGS_PER_MINUTE = 6;
const TOO_MANY_PINGS = 'These are many pings: wait for a minute.';
const ReplayForm = z.object({ days: z.enum(['1', '7', '30']) });

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
  /** Each ping is a request to somebody's server. */
  const mayPing = async ({ session, now }: OrganizationPages, { id }: Endpoint) => {
    const what = { what: `ping ${id}`, limit: PINGS_PER_MINUTE, now };
    return !(await hitPersonal(accounts, session.person, what)).refused;
  };
  return [
    { kind: 'organization', method: 'GET', path: '/webhooks/:endpoint', answer: (pages) => show(pages) },
    action('enable', async (pages, endpoint) => {
      if (!(await mayPing(pages, endpoint))) return show(pages, TOO_MANY_PINGS);
      await endpointsAs(pages).enable(endpoint.id);
      return redirect(`${pathOf(pages)}?done=enabled`);
    }),
    action('test', async (pages, endpoint) => {
      if (!(await mayPing(pages, endpoint))) return show(pages, TOO_MANY_PINGS);
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
