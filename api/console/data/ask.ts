/**
 * The API's own answers for the pages of an organization: with its rights, but without a key, and at no cost of its quota. What a page
 * shows is what a request of theirs would get, and each answer says which request that is.
 */
import type { Organization } from '../../accounts/organizations/organizations.ts';
import { findMissingFeature } from '../../data/access/refusals.ts';
import { isLive, type Rights } from '../../data/access/rights.ts';
import type { DataRoute, JsonObject } from '../../data/responses/data-route.ts';
import { HttpError, RequestInvalid } from '../../server/errors/http-error.ts';
import type { RouteArguments } from '../../server/route.ts';
import type { PageDeps } from '../console-deps.ts';
import { callerOf, type OrganizationPages } from '../shell/routes.ts';

export type Asked<T> = Found<T> | Refused;

export interface Found<T> {
  readonly data: T;
  readonly refusal?: never;
  /** The URL of the request that gives the same. */
  readonly url: string;
}

/** What the plan doesn't include, or a parameter that can't be. */
export interface Refused {
  readonly data?: never;
  readonly refusal: string;
  readonly url: string;
}

/** Parameters that are empty, as a form sends them, are left out. */
export type Ask = <Params, Query, Body extends JsonObject>(
  route: DataRoute<Params, Query, Body>,
  question: RouteArguments<Params, Query>,
) => Promise<Asked<Body>>;

type AskDeps = Pick<PageDeps, 'answers' | 'capabilities'>;

/**
 * Asks for one page. Rejects with `not_found` where there is no such thing, and with
 * what else the route rejects with.
 */
export function askFor({ organization, baseUrl }: OrganizationPages, deps: AskDeps): Ask {
  const rights = rightsOf(organization, deps);
  return async (route, question) => {
    const query = withoutEmpty(question.query);
    const url = baseUrl + urlOf(route, question.params, query);
    try {
      assertOpen(route, organization, deps);
      const { body: data } = await deps.answers.fetch(route, { ...question, query }, { caller: { rights }, baseUrl });
      return { data, url };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return { refusal, url };
    }
  };
}

/** Throws what a request of the organization would be refused with before its parameters are looked at. */
function assertOpen({ access }: DataRoute, organization: Organization, { capabilities }: AskDeps): void {
  if (!isLive(capabilities, access.capability, organization.id)) throw new NotOffered();
  const missing = findMissingFeature(access.feature, callerOf(organization));
  if (missing !== undefined) throw missing;
}

/** What is switched off: to the API's callers it doesn't exist, but the rest of a page is there without it. */
class NotOffered extends Error {}

function rightsOf({ id, terms }: Organization, { capabilities }: AskDeps): Rights {
  const { plan, historyMonths, snapshots } = terms;
  return { plan: isLive(capabilities, 'plans', id) ? plan : null, historyMonths, snapshots };
}

/** What is said in the page's place; undefined for an error that is no refusal. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof NotOffered) return 'This service does not offer that';
  if (error instanceof RequestInvalid) return error.message;
  return error instanceof HttpError && [403, 410].includes(error.status) ? error.message : undefined;
}

/** The same parameters, without those that say nothing. */
function withoutEmpty<Query extends object>(query: Query | undefined): Query {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given) as Query; // Some of its own, none of which has to be there.
}

function urlOf({ path }: DataRoute, params: object = {}, query: object = {}): string {
  const values = new Map(Object.entries(params));
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ''));
  const search = new URLSearchParams(Object.entries(query)).toString();
  return search === '' ? filled : `${filled}?${search}`;
}
