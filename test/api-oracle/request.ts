/** A request for the read API, as the text it is sent as. */
import type { Asked, Parameters } from './route.ts';
import { routeOf } from './routes.ts';

export interface ApiRequest extends Asked {
  /** The name of one of the routes; undefined: a path that none has, `/v1/` with the parameter `nowhere`. */
  readonly route: string | undefined;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
}

/** The path and query to send, with the query's parameters replaced or added to. */
export function targetFromRequest(request: ApiRequest, more: Parameters = {}): string {
  const encode = request.isBare ? encodeBare : encodeURIComponent;
  const template = request.route === undefined ? '/v1/{nowhere}' : routeOf(request.route).path;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encode(request.params[name] ?? ''));
  const query = Object.entries({ ...request.query, ...more });
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function encodeBare(text: string): string {
  return encodeURIComponent(text).replace(/%(3A|40|2B|2C|3D|24|26|3B)/g, (code) => decodeURIComponent(code));
}
