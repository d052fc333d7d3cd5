/**
 * The console's routes as values: what somebody must be to see a page or to send a form, and what it is answered with. Whoever may
 * not see a thing is told what a stranger to it would be: to sign in, or that there is no such page.
 */
import type { ConsoleAnswer } from './answer.ts';
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
