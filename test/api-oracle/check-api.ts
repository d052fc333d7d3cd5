import { createChooser } from '../support/random.ts';
import { gatherValues, pickModel } from './asking/asking.ts';
import { findInterests } from './asking/interests.ts';
import type { Client } from './client.ts';
import { compareRequest } from './compare/compare.ts';
import { describeDifference } from './compare/difference.ts';
import type { Verdict } from './compare/exchange.ts';
import type { ApiState } from './expected.ts';
import type { Asking } from './route.ts';
import { type ApiRequest, ROUTES, routeOf, targetFromRequest } from './routes.ts';

export interface CheckOptions {
  readonly count: number;
  readonly seed: number;
  /** Only requests of these routes, by name; all where absent. */
  readonly routes?: readonly string[] | undefined;
  /** The check ends after so many differences. */
  readonly differencesMax: number;
}

/** Sends random requests one after another and compares every answer: the differences, as a person reads them. */
export async function checkApi(client: Client, state: ApiState, options: CheckOptions): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const request of generateRequests(state, options)) {
    const difference = await compareSafely(client, state, request);
    if (difference !== undefined) differences.push(describeDifference(difference));
    if (differences.length >= options.differencesMax) break;
  }
  return differences;
}

/** An answer that can't be read at all, such as a connection that breaks, is a difference like any other. */
async function compareSafely(client: Client, state: ApiState, request: ApiRequest): Promise<Verdict> {
  try {
    return await compareRequest(client, state, request);
  } catch (error) {
    const actual = error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error);
    return { target: targetFromRequest(request), path: '(exception)', expected: 'an answer', actual };
  }
}

/** Requests that no route answers. */
const REFUSED: Readonly<Record<string, (asking: Asking) => ApiRequest>> = {
  nowhere: askNowhere,
  method: askOtherMethod,
};

const WEIGHTS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(ROUTES.map(({ name, weight }) => [name, weight])),
  nowhere: 1,
  method: 1,
};

/** Random requests, the same for the same state and seed; their parameters are in order, and all have a settled answer. */
function* generateRequests(state: ApiState, { count, seed, routes }: CheckOptions): Iterable<ApiRequest> {
  const wanted = routes?.map((name) => routeOf(name).name);
  const choose = createChooser(seed);
  const asking = { state, interests: findInterests(state), choose, values: gatherValues(state) };
  for (let made = 0; made < count; ) {
    const name = choose.weighted(WEIGHTS);
    const request = REFUSED[name]?.(asking) ?? { route: name, ...routeOf(name).ask(asking) };
    if (wanted?.includes(request.route ?? '') === false) continue;
    made += 1;
    yield request;
  }
}

/** A path that the API does not have. */
function askNowhere({ choose }: Asking): ApiRequest {
  const nowhere = choose.pick(['', 'model', 'Models', 'ranking', 'histories', 'admin', 'models.json']);
  return { route: undefined, params: { nowhere }, query: {} };
}

/** A known path with a method that is not offered. */
function askOtherMethod(asking: Asking): ApiRequest {
  const { choose } = asking;
  const { name: route } = choose.pick(ROUTES);
  const params = {
    id: 'x',
    model_id: pickModel(asking),
    snapshot_id: choose.pick(asking.interests.nights),
    day: '2026-06-01',
  };
  return { route, params, query: {}, method: choose.pick(['POST', 'PUT', 'DELETE', 'PATCH']) };
}
