/** Who may see a page, or send a form, and what it is answered with. */
import { getOrganization } from '../../accounts/organizations/organizations.ts';
import { listMemberships } from '../../accounts/people/memberships.ts';
import { type Capability, isLive } from '../../data/access/capabilities.ts';
import { httpError, notFound } from '../../server/errors/http-error.ts';
import type { PageDeps } from '../console-deps.ts';
import { type ConsoleAnswer, redirect } from './answer.ts';
import type { ConsoleRoute, OrganizationRoute } from './routes.ts';
import type { OrganizationPages, PersonPages, Visitor } from './visitor.ts';

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
