/** The routes of the read API, and a request as the text it is sent as. */

export const ROUTE_PATHS = {
  models: '/v1/models',
  model: '/v1/models/{id}',
  benchmarks: '/v1/benchmarks',
  scores: '/v1/scores',
  rankings: '/v1/rankings',
  updates: '/v1/updates',
  categories: '/v1/categories',
  sources: '/v1/sources',
  'model-history': '/v1/models/{model_id}/history',
  'rankings-history': '/v1/rankings/history',
  changes: '/v1/changes',
  snapshots: '/v1/snapshots',
  download: '/v1/snapshots/{snapshot_id}/download',
  /** A path that no route has. */
  nowhere: '/v1/{nowhere}',
} as const;

export type Route = keyof typeof ROUTE_PATHS;
export const ROUTES = Object.keys(ROUTE_PATHS) as readonly Route[]; // the keys of the literal above

export type Parameters = Readonly<Record<string, string>>;

export interface ApiRequest {
  readonly route: Route;
  /** Of the path, decoded. */
  readonly params: Parameters;
  /** Of the query, decoded. */
  readonly query: Parameters;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** Percent-encodes in the path only what a path can't hold: `:`, `@`, `+` stay as they are. */
  readonly isBare?: boolean;
}

/** The path and query to send, with the query's parameters replaced or added to. */
export function targetFromRequest(request: ApiRequest, more: Parameters = {}): string {
  const encode = request.isBare ? encodeBare : encodeURIComponent;
  const path = ROUTE_PATHS[request.route].replace(/\{(\w+)\}/g, (_, name: string) =>
    encode(request.params[name] ?? ''),
  );
  const query = Object.entries({ ...request.query, ...more });
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function encodeBare(text: string): string {
  return encodeURIComponent(text).replace(/%(3A|40|2B|2C|3D|24|26|3B)/g, (code) => decodeURIComponent(code));
}
