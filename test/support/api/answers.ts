import type { LightMyRequestResponse } from 'fastify';

/** The headers (specification "Limit headers") that tell where a caller stands. */
export const LIMIT_HEADERS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-quota-limit',
  'x-quota-used',
  'x-quota-remaining',
  'x-quota-reset',
  'x-service-plan',
] as const;

export function namesAmong(names: readonly string[], { headers }: LightMyRequestResponse): readonly string[] {
  return names.filter((name) => name in headers);
}

/** An answer's headers without those that differ each time: request id, date, counters. */
export function steadyHeaders({ headers }: LightMyRequestResponse): Record<string, unknown> {
  const changing = ['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'content-length'];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.includes(name)));
}

export function steadyError(response: LightMyRequestResponse): Record<string, unknown> {
  const { request_id, ...error } = response.json().error;
  return { ...error, hasRequestId: request_id === response.headers['x-request-id'] };
}
