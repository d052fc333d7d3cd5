import { type ApiState, type Expected, notFound } from './expected.ts';
import type { ApiRequest } from './request.ts';
import { routeOf } from './routes.ts';

/** What the API must answer to a request. */
export function answerRequest(state: ApiState, { route, method = 'GET', ...asked }: ApiRequest): Expected {
  if (route === undefined) return notFound(null);
  if (method !== 'GET') return { kind: 'refusal', status: 405, code: 'method_not_allowed' };
  return routeOf(route).answer(state, asked);
}
