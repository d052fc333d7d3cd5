import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import type { z } from 'zod';
import { parametersFrom } from './data-operation.ts';
import { byStatus, errorResponse, nameFrom, validationResponse } from './error-responses.ts';
import { type HeaderName, headersOf } from './headers.ts';
import type { Collectors, Operation, Responses } from './operation.ts';

/** What the document has to know of a route without a key, whoever serves it (specification "Without a key"). */
export interface OpenRoute {
  /** The pattern below the base path, such as `/badges/models/:id.svg`. */
  readonly path: string;
  /** What the document says of it; one without is not in the document. */
  readonly operation?: { readonly operationId: string; readonly summary: string } | undefined;
  /** `Content-Type` of its answers. */
  readonly type: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** Whether what it refuses has its own form too; else the error envelope. */
  readonly refuse?: unknown;
}

const HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary', 'X-Cache', 'X-Request-ID'];
/** What has the form of the route, where it has one for refusals; whatever else goes wrong is told by the service. */
const OWN_REFUSALS = ['not_found', 'rate_limit_exceeded', 'unavailable'] as const;
const OTHER_REFUSALS = ['bad_request', 'uri_too_long', 'internal_error'] as const;

/** A route without a key as an operation of the OpenAPI document. */
export function openOperation(
  route: OpenRoute,
  { operationId, summary }: OpenRoute['operation'] & object,
  { schemas, responses }: Collectors,
): Operation {
  const { params, query } = route;
  const parameters = [...parametersFrom(params, 'path', schemas), ...parametersFrom(query, 'query', schemas)];
  const shared = (codes: typeof OTHER_REFUSALS | typeof OWN_REFUSALS) =>
    byStatus(codes).map(([status, of]) => [status, responses.share(`Open${nameFrom(of)}`, errorResponse(of))] as const);
  return {
    operationId,
    summary,
    tags: [OPEN_TAG],
    security: [],
    parameters: [...parameters, { $ref: '#/components/parameters/IfNoneMatch' }],
    responses: {
      200: { description: summary, headers: headersOf(HEADERS), content: contentOf(route) },
      304: { description: 'What the request names in If-None-Match still holds', headers: headersOf(HEADERS) },
      ...Object.fromEntries(shared(OTHER_REFUSALS)),
      ...(route.refuse === undefined
        ? {
            ...Object.fromEntries(shared(OWN_REFUSALS)),
            422: responses.share('OpenValidationError', validationResponse([])),
          }
        : ownRefusals(route)),
    },
  };
}

/** The tag of all of them. */
export const OPEN_TAG = 'without a key';

function ownRefusals(route: OpenRoute): Responses {
  const told = { headers: headersOf(['X-Request-ID']), content: contentOf(route) };
  return {
    404: { description: 'What it is asked of is not there', ...told },
    422: { description: 'Parameters are missing or wrong; the first problem', ...told },
    429: {
      description: 'Too many requests of this address',
      ...told,
      headers: headersOf(['Retry-After', 'X-Request-ID']),
    },
    503: { description: 'There is nothing to answer from now', ...told },
  };
}

function contentOf({ type }: OpenRoute): OpenApi.ResponseObject['content'] & object {
  const [name = type] = type.split(';', 1);
  return {
    [name]: { schema: name.includes('json') ? { type: 'object', additionalProperties: true } : { type: 'string' } },
  };
}
