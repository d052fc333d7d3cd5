import { notFound } from '../../server/errors/http-error.ts';
import type { Endpoint } from '../../webhooks/endpoints/endpoint.ts';
import type { PageDeps } from '../console-deps.ts';
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
