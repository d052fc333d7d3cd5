import type { JSX } from 'preact';
import { notFound } from '../../server/errors/http-error.ts';
import type { Endpoint } from '../../webhooks/endpoints/endpoint.ts';
import type { PageDeps } from '../console-deps.ts';
import { Copyable, Notice, Section } from '../shell/parts.tsx';
import type { OrganizationPages } from '../shell/visitor.ts';

/** The endpoint that the path names; rejects with `not_found` for another organization's. */
export async function ownEndpoint(
  { organization, params, actor }: OrganizationPages,
  webhooks: PageDeps['webhooks'],
): Promise<Endpoint> {
  const endpoint = await webhooks.endpointsAs(actor).get(params['endpoint'] ?? '');
  if (endpoint.organizationId !== organization.id) throw notFound(null, 'There is no such endpoint');
  return endpoint;
}

export interface SecretPageProps {
  readonly pages: OrganizationPages;
  readonly endpoint: Endpoint;
  readonly secret: string;
  /** Whether the endpoint was registered just now. */
  readonly isNew: boolean;
}

/** An endpoint's secret, at the only time when it can be shown. */
export function SecretPage({ pages, endpoint, secret, isNew }: SecretPageProps): JSX.Element {
  return (
    <>
      <h1>{isNew ? 'Your new endpoint' : 'Its new secret'}</h1>
      <Notice kind="plain">
        <p>This is the only time that the secret is shown. Deliveries are signed with it; your server checks them.</p>
      </Notice>
      <Section title="Secret">
        <Copyable text={secret} />
      </Section>
      <p>
        {isNew
          ? `A ping to ${endpoint.url} waits to be sent; the endpoint is active once it was answered with a 2xx.`
          : `Every delivery to ${endpoint.url} from now on is signed with it, and none with the one before.`}
      </p>
      <p>
        <a href={`${pages.path}/webhooks/${endpoint.id}`}>Go on to the endpoint</a>
      </p>
    </>
  );
}
