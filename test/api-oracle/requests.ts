import { createChooser } from '../support/random.ts';
import { gatherValues, pickModel } from './asking/asking.ts';
import { findInterests } from './asking/interests.ts';
import type { ApiState } from './expected.ts';
import type { ApiRequest } from './request.ts';
import type { Asking } from './route.ts';
import { ROUTES, routeOf } from './routes.ts';

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

export interface GenerateOptions {
  readonly count: number;
  readonly seed: number;
  /** Only requests of these routes, by name; all where absent. */
  readonly routes?: readonly string[] | undefined;
}

/** Random requests, the same for the same state and seed; their parameters are in order, and all have a settled answer. */
export function* generateRequests(state: ApiState, options: GenerateOptions): Iterable<ApiRequest> {
  const { count, seed, routes } = options;
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
  const params = { id: 'x', model_id: pickModel(asking), snapshot_id: choose.pick(asking.interests.nights) };
  return { route, params, query: {}, method: choose.pick(['POST', 'PUT', 'DELETE', 'PATCH']) };
}
