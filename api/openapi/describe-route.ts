import { API_ERRORS, type ApiErrorCode } from '../../schemas/api-errors.ts';
import type { Capability } from '../access/capabilities.ts';
import { ErrorBodySchema } from '../api-error.ts';
import type { AnyDataRoute } from '../data-route.ts';
import { ValidationBodySchema } from '../validation.ts';

/** What every data route may answer besides its own errors. */
const COMMON_ERRORS: readonly ApiErrorCode[] = [
  'bad_request',
  'unauthenticated',
  'rate_limit_exceeded',
  'quota_exceeded',
  'internal_error',
  'unavailable',
];

/** What the document says of a route below `/v1`. */
export type RouteDescription = Pick<
  AnyDataRoute,
  'path' | 'summary' | 'description' | 'params' | 'query' | 'response' | 'errors'
> & { readonly capability: Capability };

/** Fastify's schema of a route below `/v1`, from which the OpenAPI document is made. */
export function describeRoute(route: RouteDescription) {
  const { path, summary, description, params, query, response, errors, capability } = route;
  const byStatus = new Map<number, ApiErrorCode[]>();
  for (const code of [...COMMON_ERRORS, ...errors]) {
    const { status } = API_ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const failures = [...byStatus].map(([status, codes]) => [
    status,
    ErrorBodySchema.describe(codes.map((code) => `\`${code}\`: ${API_ERRORS[code].title}`).join('. ')),
  ]);
  return {
    summary,
    ...(description === undefined ? {} : { description }),
    operationId: operationId(path),
    tags: [capability],
    params,
    querystring: query,
    response: {
      200: response,
      ...Object.fromEntries(failures),
      422: ValidationBodySchema.describe('Parameters are missing or wrong; all problems at once'),
    },
  };
}

/** `/v1/models/:model_id/history` → `get_models_model_id_history`. */
function operationId(path: string): string {
  return `get_${path.replace('/v1/', '').replaceAll(/[/:]+/g, '_')}`;
}
