/**
 * The API's responses for an organization's pages: with its rights, but without a key or cost of quota. Each comes with
 * the URL of the equivalent API request.
 */
import type { Organization } from '../../accounts/organizations/organizations.ts';
import { findMissingFeature } from '../../data/access/refusals.ts';
import { isLive, type Rights } from '../../data/access/rights.ts';
import type { DataRoute, JsonObject } from '../../data/responses/data-route.ts';
import { HttpError, RequestInvalid } from '../../server/errors/http-error.ts';
import type { RouteArguments } from '../../server/route.ts';
import type { PageDeps } from '../console-deps.ts';
import type { FormProblems } from '../shell/response.ts';
import { callerOf, type OrganizationPages } from '../shell/routes.ts';

export type Fetched<T> = Found<T> | Refused;

export interface Found<T> {
  readonly data: T;
  readonly refusal?: never;
  readonly problems?: never;
  /** The equivalent API request. */
  readonly url: string;
}

/** The plan does not include the data, or a parameter is invalid. */
export interface Refused {
  readonly data?: never;
  readonly refusal: string;
  /** By parameter, where parameters are refused. */
  readonly problems?: FormProblems;
  readonly url: string;
}

/** Empty parameters, as forms send them, are left out. */
export type FetchRoute = <Params, Query, Body extends JsonObject>(
  route: DataRoute<Params, Query, Body>,
  args: RouteArguments<Params, Query>,
) => Promise<Fetched<Body>>;

type FetchDeps = Pick<PageDeps, 'answers' | 'capabilities'>;

/** Rejects with `not_found`, and as the route does. */
export function fetcherFor({ organization, baseUrl }: OrganizationPages, deps: FetchDeps): FetchRoute {
  const rights = rightsOf(organization, deps);
  return async (route, args) => {
    const query = withoutEmpty(args.query);
    const url = baseUrl + urlOf(route, args.params, query);
    try {
      assertAvailable(route, organization, deps);
      const { body: data } = await deps.answers.fetch(route, { ...args, query }, { caller: { rights }, baseUrl });
      return { data, url };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return { ...refusal, url };
    }
  };
}

/** Throws what the API refuses before it reads parameters. */
function assertAvailable({ access }: DataRoute, organization: Organization, { capabilities }: FetchDeps): void {
  if (!isLive(capabilities, access.capability, organization.id)) throw new NotOffered();
  const missing = findMissingFeature(access.feature, callerOf(organization));
  if (missing !== undefined) throw missing;
}

/** Switched off. The API hides it, but a page shows its other parts. */
class NotOffered extends Error {}

function rightsOf({ id, terms }: Organization, { capabilities }: FetchDeps): Rights {
  const { plan, historyMonths, snapshots } = terms;
  return { plan: isLive(capabilities, 'plans', id) ? plan : null, historyMonths, snapshots };
}

/** What is shown in place of the data; undefined for other errors. */
function refusalOf(error: unknown): Omit<Refused, 'url'> | undefined {
  if (error instanceof NotOffered) return { refusal: 'This service does not offer this data' };
  if (error instanceof RequestInvalid) return { refusal: error.message, problems: problemsOf(error) };
  if (!(error instanceof HttpError) || ![403, 410].includes(error.status)) return undefined;
  const { param } = error.options;
  return { refusal: error.message, ...(param == null ? {} : { problems: { [param]: error.message } }) };
}

/** The parameter is the last part of a problem's place. */
function problemsOf({ detail }: RequestInvalid): FormProblems {
  return Object.fromEntries(detail.map(({ loc, msg }) => [String(loc.at(-1)), msg]));
}

function withoutEmpty<Query extends object>(query: Query | undefined): Query {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given) as Query; // All of its parameters are optional.
}

function urlOf({ path }: DataRoute, params: object = {}, query: object = {}): string {
  const values = new Map(Object.entries(params));
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ''));
  const search = new URLSearchParams(Object.entries(query)).toString();
  return search === '' ? filled : `${filled}?${search}`;
}
