/**
 * The console's routes as values: what somebody must be to see a page or to send a form, and what it is answered with. Whoever may
 * not see a thing is told what a stranger to it would be: to sign in, or that there is no such page.
 */

import type { z } from 'zod';
import { getOrganization } from '../../accounts/organizations/organizations.ts';
import { listMemberships } from '../../accounts/people/memberships.ts';
import { type Capability, isLive } from '../../data/access/rights.ts';
import { httpError, notFound } from '../../server/errors/http-error.ts';
import type { PageDeps } from '../console-deps.ts';
import { type ConsoleAnswer, redirect, type SubmitOptions, submit } from './answer.ts';
import type { OrganizationPages, PersonPages, Visitor } from './visitor.ts';

interface RouteOf<Kind extends string, Pages> {
  readonly kind: Kind;
  readonly method: 'GET' | 'POST';
  /** Below the console; below the organization where it is one's. */
  readonly path: string;
  readonly answer: (pages: Pages) => Promise<ConsoleAnswer> | ConsoleAnswer;
}

/** For everybody. */
export type OpenRoute = RouteOf<'open', Visitor>;
/** For whoever is signed in. */
export type PersonRoute = RouteOf<'person', PersonPages>;
/** For members of the organization that the path names. */
export type OrganizationRoute = RouteOf<'organization', OrganizationPages> & {
  /** Owners alone; default: every member. */
  readonly isForOwners?: boolean;
};

export type ConsoleRoute = OpenRoute | PersonRoute | OrganizationRoute;

/** A form of a page: what it asks for is done, or the page is shown again with all that is wrong. */
export interface FormOptions<T, Pages extends Visitor> {
  readonly path: string;
  readonly fields: z.ZodType<T>;
  readonly show: SubmitOptions<T, Pages>['show'];
  /** What can't be done rejects with `usage`, whose message is shown. */
  readonly work: (pages: Pages, fields: T) => Promise<ConsoleAnswer>;
}

export function openForm<T>(options: FormOptions<T, Visitor>): OpenRoute {
  return { kind: 'open', ...formRoute(options) };
}

export function personForm<T>(options: FormOptions<T, PersonPages>): PersonRoute {
  return { kind: 'person', ...formRoute(options) };
}

export function organizationForm<T>({
  isForOwners = false,
  ...options
}: FormOptions<T, OrganizationPages> & Pick<OrganizationRoute, 'isForOwners'>): OrganizationRoute {
  return { kind: 'organization', isForOwners, ...formRoute(options) };
}

function formRoute<T, Pages extends Visitor>({ path, fields, show, work }: FormOptions<T, Pages>) {
  const answer = (pages: Pages) => submit(fields, pages, { show, work: (parsed) => work(pages, parsed) });
  return { method: 'POST', path, answer } as const;
}

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

/** Who may see a page, or send a form, and what it is answered with. */
type SeeDeps = Pick<PageDeps, 'accounts' | 'people' | 'capabilities' | 'settings'>;

/** What a visitor may see of a route, and what answers it. */
export interface Seen {
  readonly pages: Visitor | PersonPages | OrganizationPages;
  readonly run: () => Promise<ConsoleAnswer> | ConsoleAnswer;
}

/** What answers a visitor, or the answer that the route is not for them. */
export async function see(
  route: ConsoleRoute,
  visitor: Visitor,
  deps: SeeDeps,
): Promise<Seen | { readonly answer: ConsoleAnswer }> {
  if (route.kind === 'open') return { pages: visitor, run: () => route.answer(visitor) };
  const { session } = visitor;
  if (session === undefined) return { answer: redirect(signInPath(visitor, route.method)) };
  const actor = { person: session.person, origin: visitor.origin };
  const memberships = await listMemberships(session.person.id, deps.people.as(actor));
  const pages: PersonPages = { ...visitor, session, actor, memberships };
  await assertNotTooOften(pages, deps);
  if (route.kind === 'person') return { pages, run: () => route.answer(pages) };
  const own = await organizationPages(route, pages, deps);
  return { pages: own, run: () => route.answer(own) };
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
