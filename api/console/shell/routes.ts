/**
 * The console's routes as values: who may use them, and their responses. Without permission a person gets the same
 * response as a stranger: to sign in, or that there is no such page.
 */

import type { Origin, PersonActor } from '../../accounts/actor.ts';
import type { Caller } from '../../accounts/caller.ts';
import { getOrganization, type Organization } from '../../accounts/organizations/organizations.ts';
import { listMemberships } from '../../accounts/people/memberships.ts';
import type { Membership, Role, Session } from '../../accounts/people/people.ts';
import { type Capability, isLive } from '../../data/access/rights.ts';
import { httpError, notFound } from '../../server/errors/http-error.ts';
import type { PageDeps } from '../console-deps.ts';
import { type ConsoleForm, type ConsoleResponse, redirect, type SentForm, submit } from './response.ts';

interface RouteOf<Kind extends string, Pages> {
  readonly kind: Kind;
  readonly method: 'GET' | 'POST';
  /** Below the console, or below the organization. */
  readonly path: string;
  readonly response: (pages: Pages) => Promise<ConsoleResponse> | ConsoleResponse;
  /** Of an organization: only for owners; default: for all members. */
  readonly isForOwners?: boolean;
  /** A POST of any origin and body, which proves itself by the token in its query. */
  readonly isSigned?: boolean;
}

export type OpenRoute = RouteOf<'open', PageRequest>;
/** For signed-in people. */
export type PersonRoute = RouteOf<'person', PersonPages>;
/** For members of the organization in the path. */
export type OrganizationRoute = RouteOf<'organization', OrganizationPages>;

export type ConsoleRoute = OpenRoute | PersonRoute | OrganizationRoute;

function routesFor<Kind extends ConsoleRoute['kind'], Pages extends PageRequest>(kind: Kind) {
  type Made = RouteOf<Kind, Pages>;
  type Who = Pick<Made, 'isForOwners'>;
  return {
    page: (path: string, response: Made['response'], who: Who = {}): Made => ({
      kind,
      method: 'GET',
      path,
      response,
      ...who,
    }),
    /** A form without a page to show again: problems lead to an error page. */
    action: (path: string, response: Made['response']): Made => ({ kind, method: 'POST', path, response }),
    /** An action of programs too: see `isSigned`. */
    signedAction: (path: string, response: Made['response']): Made => ({
      kind,
      method: 'POST',
      path,
      response,
      isSigned: true,
    }),
    form: <T>(path: string, { isForOwners = false, ...form }: ConsoleForm<T, Pages> & Who): Made => {
      const response = (pages: Pages) => submit(form, pages);
      return { kind, method: 'POST', path, response, isForOwners };
    },
  };
}

export const forAnybody = routesFor<'open', PageRequest>('open');
export const forPerson = routesFor<'person', PersonPages>('person');
export const forMembers = routesFor<'organization', OrganizationPages>('organization');

/** Below the console. */
export function pathOf(route: ConsoleRoute): string {
  return route.kind === 'organization' ? `/orgs/:org${route.path}` : route.path;
}

/** POST-only paths and the page above each, for browsers that reload the response of a form. */
export function formsWithoutPage(
  routes: readonly ConsoleRoute[],
): readonly { readonly at: string; readonly to: string }[] {
  const pages = new Set(routes.filter(({ method }) => method === 'GET').map(pathOf));
  const pageAbove = (path: string): string => (path === '' || pages.has(path) ? path : pageAbove(parentOf(path)));
  const forms = new Set(routes.filter(({ method }) => method === 'POST').map(pathOf));
  return [...forms].filter((at) => !pages.has(at)).map((at) => ({ at, to: pageAbove(parentOf(at)) }));
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Without or with a session. */
export interface PageRequest extends SentForm {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Path and query. */
  readonly url: string;
  readonly cookies: string | undefined;
  /** For the audit log. */
  readonly origin: Origin;
  /** `https://host/prefix` of the service. */
  readonly baseUrl: string;
  /** Such as `/stats/console`. */
  readonly root: string;
  /** Proves that the page's forms are ours. */
  readonly token: string;
  readonly session: Session | undefined;
  readonly now: Date;
}

/** For a signed-in person. */
export interface PersonPages extends PageRequest {
  readonly session: Session;
  /** The session's person. */
  readonly actor: PersonActor;
  readonly memberships: readonly Membership[];
}

/** For a member of an organization. */
export interface OrganizationPages extends PersonPages {
  readonly organization: Organization;
  readonly role: Role;
  /** Whether the organization is offered a capability. */
  readonly offers: (capability: Capability) => boolean;
  /** Such as `/stats/console/orgs/org_…`. */
  readonly path: string;
}

/** The organization as a caller of the API, without a key. */
export function callerOf({ id, terms }: Organization): Caller {
  return { organizationId: id, credentialId: '', terms, clientSource: 'api_key' };
}

type AdmitDeps = Pick<PageDeps, 'accounts' | 'people' | 'capabilities' | 'settings'>;

export interface AdmittedPage {
  readonly pages: PageRequest | PersonPages | OrganizationPages;
  readonly run: () => Promise<ConsoleResponse> | ConsoleResponse;
}

/** The admitted request, or the response that refuses it. */
export async function admit(
  route: ConsoleRoute,
  pageRequest: PageRequest,
  deps: AdmitDeps,
): Promise<AdmittedPage | { readonly response: ConsoleResponse }> {
  if (route.kind === 'open') return { pages: pageRequest, run: () => route.response(pageRequest) };
  const { session } = pageRequest;
  if (session === undefined) return { response: redirect(signInPath(pageRequest, route.method)) };
  const actor = { person: session.person, origin: pageRequest.origin };
  const memberships = await listMemberships(session.person.id, deps.people.as(actor));
  const pages: PersonPages = { ...pageRequest, session, actor, memberships };
  await assertPageLimit(pages, deps);
  if (route.kind === 'person') return { pages, run: () => route.response(pages) };
  const own = await organizationPages(route, pages, deps);
  return { pages: own, run: () => route.response(own) };
}

/** Throws `not_found` for others than members, and for members if only owners may use the route. */
async function organizationPages(
  { isForOwners = false }: OrganizationRoute,
  pages: PersonPages,
  deps: AdmitDeps,
): Promise<OrganizationPages> {
  const id = pages.params['org'];
  const membership = pages.memberships.find(({ organizationId }) => organizationId === id);
  if (membership === undefined || (isForOwners && membership.role !== 'owner'))
    throw notFound(null, 'There is no such organization');
  const organization = await getOrganization(membership.organizationId, deps.accounts.as(pages.actor));
  if (pages.session.organizationId !== organization.id)
    await deps.people.sessions.selectOrganization(pages.session, organization.id);
  const offers = (capability: Capability) => isLive(deps.capabilities, capability, organization.id);
  return { ...pages, organization, offers, role: membership.role, path: `${pages.root}/orgs/${organization.id}` };
}

/** Pages cost no quota, so they are limited here. */
async function assertPageLimit({ session }: PersonPages, { accounts, settings }: AdmitDeps): Promise<void> {
  const limit = settings.pagesPerMinute;
  const state = await accounts.limits.hit(session.person.id, { what: 'console', perMinute: limit });
  if (!state.refused) return;
  throw httpError(
    'rate_limit_exceeded',
    `You opened too many pages: the limit is ${limit} per minute. Try again in ${state.retryAfterSeconds} s`,
    {
      headers: { 'Retry-After': String(state.retryAfterSeconds) },
    },
  );
}

/** Sign-in returns to a page, but does not repeat a form. */
function signInPath({ root, url }: PageRequest, method: ConsoleRoute['method']): string {
  return method === 'GET' ? `${root}/sign-in?next=${encodeURIComponent(url)}` : `${root}/sign-in`;
}
