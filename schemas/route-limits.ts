/**
 * The abuse backstop: requests per API key, route and 60 seconds (SPEC "Burst rules" 3, DECISIONS "backstop"). It stays beside
 * the organizations' limits and is enforced whatever the rollout says.
 */
export const BACKSTOP_PER_MINUTE = {
  '/v1/models': 60,
  '/v1/models/{id}': 120,
  '/v1/models/{model_id}/history': 60,
  '/v1/benchmarks': 60,
  '/v1/scores': 120,
  '/v1/rankings': 60,
  '/v1/rankings/history': 60,
  '/v1/updates': 30,
  '/v1/categories': 60,
  '/v1/changes': 60,
  '/v1/snapshots': 30,
  '/v1/snapshots/{snapshot_id}/download': 30,
  '/v1/account': 60,
} as const satisfies Readonly<Record<string, number>>;

export type BackstopRoute = keyof typeof BACKSTOP_PER_MINUTE;
export type BackstopLimits = Readonly<Record<BackstopRoute, number>>;

/** True for a route that has a backstop. */
export function isBackstopRoute(text: string): text is BackstopRoute {
  return Object.hasOwn(BACKSTOP_PER_MINUTE, text);
}
