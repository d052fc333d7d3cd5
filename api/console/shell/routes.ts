/**
 * The console's routes as values: what somebody must be to see a page or to send a form, and what it is answered with. Whoever may
 * not see a thing is told what a stranger to it would be: to sign in, or that there is no such page.
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
  /** Below the console; below the organization where it is one's. */
  readonly path: string;
  readonly response: (pages: Pages) => Promise<ConsoleResponse> | ConsoleResponse;
  /** Of an organization: owners alone; default: every member. */
  readonly isForOwners?: boolean;
}

/** For everybody. */
export type OpenRoute = RouteOf<'open', Visitor>;
/** For whoever is signed in. */
export type PersonRoute = RouteOf<'person', PersonPages>;
/** For members of the organization that the path names. */
export type OrganizationRoute = RouteOf<'organization', OrganizationPages>;

export type ConsoleRoute = OpenRoute | PersonRoute | OrganizationRoute;

/** Makes the routes for one audience. */
function routesFor<Kind extends ConsoleRoute['kind'], Pages extends Visitor>(kind: Kind) {
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
    /** A form that has no page to show again: what is wrong with it is answered with the page of an error. */
    action: (path: string, response: Made['response']): Made => ({ kind, method: 'POST', path, response }),
    form: <T>(path: string, { isForOwners = false, ...form }: ConsoleForm<T, Pages> & Who): Made => {
      const response = (pages: Pages) => submit(form, pages);
      return { kind, method: 'POST', path, response, isForOwners };
    },
  };
}

export const forAnybody = routesFor<'open', Visitor>('open');
export const forPerson = routesFor<'person', PersonPages>('person');
export const forMembers = routesFor<'organization', OrganizationPages>('organization');

/** A route's path below the console. */
export function pathOf(route: ConsoleRoute): string {
  return route.kind === 'organization' ? `/orgs/:org${route.path}` : route.path;
}

/**
 * Where forms are sent to that have no page of their own there, and the page above. A browser asks for it that opens the address of
 * such a form's answer again.
 */
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

/** A request of anybody. */
export interface Visitor extends SentForm {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Path and query, as asked for. */
  readonly url: string;
  readonly cookies: string | undefined;
  /** From where it comes, for the audit log. */
  readonly origin: Origin;
  /** `https://host/prefix` of the service. */
  readonly baseUrl: string;
  /** The console's path, such as `/stats/console`. */
  readonly root: string;
  /** For the forms of the page: proves that they are ours. */
  readonly token: string;
  /** Undefined for a stranger. */
  readonly session: Session | undefined;
  readonly now: Date;
}

/** What the pages of somebody who is signed in are made of. */
export interface PersonPages extends Visitor {
  readonly session: Session;
  /** The session's person, for whom its forms act. */
  readonly actor: PersonActor;
  readonly memberships: readonly Membership[];
}

/** What the pages of an organization are made of, for one of its members. */
export interface OrganizationPages extends PersonPages {
  readonly organization: Organization;
  readonly role: Role;
  /** Whether a capability is there for it. */
  readonly offers: (capability: Capability) => boolean;
  /** The organization's path, such as `/stats/console/orgs/org_…`. */
  readonly path: string;
}

/** An organization as the API's rules know whoever asks; it asks here without a key. */
export function callerOf({ id, terms }: Organization): Caller {
  return { organizationId: id, credentialId: '', terms, clientSource: 'api_key' };
}

/** Who may see a page, or send a form, and what it is answered with. */
type SeeDeps = Pick<PageDeps, 'accounts' | 'people' | 'capabilities' | 'settings'>;

/** What a visitor may see of a route, and what answers it. */
export interface Seen {
  readonly pages: Visitor | PersonPages | OrganizationPages;
  readonly run: () => Promise<ConsoleResponse> | ConsoleResponse;
}

/** What answers a visitor, or the answer that the route is not for them. */
export async function see(
  route: ConsoleRoute,
  visitor: Visitor,
  deps: SeeDeps,
): Promise<Seen | { readonly response: ConsoleResponse }> {
  if (route.kind === 'open') return { pages: visitor, run: () => route.response(visitor) };
  const { session } = visitor;
  if (session === undefined) return { response: redirect(signInPath(visitor, route.method)) };
  const actor = { person: session.person, origin: visitor.origin };
  const memberships = await listMemberships(session.person.id, deps.people.as(actor));
  const pages: PersonPages = { ...visitor, session, actor, memberships };
  await assertNotTooOften(pages, deps);
  if (route.kind === 'person') return { pages, run: () => route.response(pages) };
  const own = await organizationPages(route, pages, deps);
  return { pages: own, run: () => route.response(own) };
}

/** Throws `not_found` for whoever is no member, and for members where a page is for owners. */
async function organizationPages(
  { isForOwners = false }: OrganizationRoute,
  pages: PersonPages,
  deps: SeeDeps,
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

/** What pages show costs no quota, so it is bounded here. */
async function assertNotTooOften({ session }: PersonPages, { accounts, settings }: SeeDeps): Promise<void> {
  const limit = settings.pagesPerMinute;
  const state = await accounts.limits.hit(session.person.id, { what: 'console', perMinute: limit });
  if (!state.refused) return;
  throw httpError('rate_limit_exceeded', `You ask for too many pages; the limit is ${limit} a minute`, {
    headers: { 'Retry-After': String(state.retryAfterSeconds) },
  });
}

/** Where a stranger signs in, to come back to a page; a form is not sent again. */
function signInPath({ root, url }: Visitor, method: ConsoleRoute['method']): string {
  return method === 'GET' ? `${root}/sign-in?next=${encodeURIComponent(url)}` : `${root}/sign-in`;
}
