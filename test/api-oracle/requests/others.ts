import { type ApiRequest, ROUTES } from '../request.ts';
import { type Asking, pickModel, pickSome } from './asking.ts';

export function askModel(asking: Asking): ApiRequest {
  return { route: 'model', params: { id: pickModel(asking) }, query: {}, isBare: asking.choose.chance(0.2) };
}

export function askUpdates(asking: Asking): ApiRequest {
  const { choose } = asking;
  const query = pickSome(asking, {
    days: [0.8, () => String(choose.integer(1, 30))],
    limit: [0.5, () => String(choose.pick([1, 2, 10, 50, 199, 200]))],
  });
  return { route: 'updates', params: {}, query };
}

export function askCategories(): ApiRequest {
  return { route: 'categories', params: {}, query: {} };
}

export function askSources(): ApiRequest {
  return { route: 'sources', params: {}, query: {} };
}

/** A path that the API does not have. */
export function askNowhere({ choose }: Asking): ApiRequest {
  const nowhere = choose.pick(['', 'model', 'Models', 'ranking', 'histories', 'admin', 'models.json']);
  return { route: 'nowhere', params: { nowhere }, query: {} };
}

/** A known path with a method that is not offered. */
export function askOtherMethod(asking: Asking): ApiRequest {
  const { choose } = asking;
  const route = choose.pick(ROUTES.filter((name) => name !== 'nowhere'));
  const params = { id: 'x', model_id: pickModel(asking), snapshot_id: choose.pick(asking.interests.nights) };
  return { route, params, query: {}, method: choose.pick(['POST', 'PUT', 'DELETE', 'PATCH']) };
}
