import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import type { z } from 'zod';
import { HealthLiveSchema, HealthNotReadySchema, HealthReadySchema } from '../health.ts';
import { mediaTypeOf, parametersFrom } from './data-operation.ts';
import type { Collectors, Operation, Paths, ResponseCollector, Responses } from './operation.ts';
import { errorResponses, HEADERS, type HeaderName, headersOf, textHeaders, validationResponse } from './responses.ts';

const READY = {
  status: 'ready',
  release: { day: '2026-06-29', data_as_of: '2026-06-29T23:59:59Z', published_at: '2026-06-30T00:20:00Z' },
  problem: null,
  problems: [],
};
const PROBLEM = {
  code: 'unavailable',
  message: 'the store has no catalog: nothing is published yet',
  since: '2026-06-30T00:00:05Z',
};

const NOT_READY: Readonly<Record<string, OpenApi.ExampleObject>> = {
  starting: {
    summary: 'No release is served yet',
    value: { status: 'starting', problem: PROBLEM, problems: [{ part: 'view', ...PROBLEM }] },
  },
  stopping: {
    summary: 'The server is stopping; send requests to another one',
    value: { status: 'stopping', problem: null, problems: [] },
  },
};

/** The public routes about the service (specification "Routes"). */
export function metaOperations({ schemas, responses }: Collectors): Paths {
  const operation = operationsWith(responses);
  const html = { 'text/html': { schema: { type: 'string' } } } as const;
  return {
    '/health/live': operation('getLiveness', 'The process is alive', {
      200: ok({
        'application/json': { schema: schemas.schemaFrom(HealthLiveSchema, 'output'), example: { status: 'live' } },
      }),
    }),
    '/health/ready': operation('getReadiness', 'A release is served', {
      200: ok({ 'application/json': { schema: schemas.schemaFrom(HealthReadySchema, 'output'), example: READY } }),
      503: {
        description: 'No release is served yet, or the server is stopping',
        headers: headersOf(HEADERS.retry),
        content: {
          'application/json': {
            schema: schemas.schemaFrom(HealthNotReadySchema, 'output'),
            examples: NOT_READY,
          },
        },
      },
    }),
    '/openapi.json': operation('getOpenApiDocument', 'This document', {
      200: ok({ 'application/json': { schema: { type: 'object', additionalProperties: true } } }),
      304: { description: 'The response named by If-None-Match is still current', headers: headersOf(HEADERS.meta) },
    }),
    '/docs/errors': operation('listErrorPages', 'Every error code, as a page', { 200: ok(html) }),
    '/docs/errors/{code}': operation(
      'getErrorPage',
      'The page that `help_url` of an error points to',
      { 200: ok(html) },
      [
        {
          name: 'code',
          in: 'path',
          required: true,
          description: 'A code of the error envelope',
          schema: { type: 'string', minLength: 1 },
          example: 'not_found',
        },
      ],
    ),
  };
}

function ok(content: OpenApi.ResponseObject['content'] & object): OpenApi.ResponseObject {
  return { description: 'OK', headers: headersOf(HEADERS.meta), content };
}

function operationsWith(shared: ResponseCollector) {
  const codes = ['bad_request', 'not_found', 'uri_too_long', 'internal_error'] as const;
  const refusals = errorResponses(codes, shared, { prefix: 'Open' });
  return (
    operationId: string,
    summary: string,
    responses: Responses,
    parameters: readonly OpenApi.ParameterObject[] = [],
  ): Paths[string] => ({
    get: {
      operationId,
      summary,
      tags: ['meta'],
      security: [],
      ...(parameters.length === 0 ? {} : { parameters }),
      responses: { ...responses, ...refusals },
    },
  });
}

/** A route without a key (specification "Without a key"). */
export interface OpenRoute {
  /** Such as `/badges/models/:id.svg`. */
  readonly path: string;
  /** Undefined: not in the document. */
  readonly operation?: { readonly operationId: string; readonly summary: string } | undefined;
  /** `Content-Type` of its responses. */
  readonly type: string;
  readonly documentedHeaders?: Readonly<Record<string, string>>;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** Set if its refusals have the route's own form instead of the error envelope. */
  readonly refuse?: unknown;
}

/** `/badges/models/:id.svg` → `/badges/models/{id}.svg`. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

const OPEN_HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary', 'X-Cache', 'X-Request-ID'];
/** Refusals in the route's own form, if it has one; others always use the error envelope. */
const OWN_REFUSALS = ['not_found', 'rate_limit_exceeded', 'unavailable'] as const;
const OTHER_REFUSALS = ['bad_request', 'uri_too_long', 'internal_error'] as const;

export function openOperation(
  route: OpenRoute,
  { operationId, summary }: OpenRoute['operation'] & object,
  { schemas, responses }: Collectors,
): Operation {
  const { params, query } = route;
  const parameters = [...parametersFrom(params, 'path', schemas), ...parametersFrom(query, 'query', schemas)];
  return {
    operationId,
    summary,
    tags: [OPEN_TAG],
    security: [],
    parameters: [...parameters, { $ref: '#/components/parameters/IfNoneMatch' }],
    responses: {
      200: {
        description: summary,
        headers: { ...headersOf(OPEN_HEADERS), ...textHeaders(route.documentedHeaders) },
        content: contentOf(route),
      },
      304: { description: 'The response named by If-None-Match is still current', headers: headersOf(OPEN_HEADERS) },
      ...errorResponses(OTHER_REFUSALS, responses, { prefix: 'Open' }),
      ...(route.refuse === undefined
        ? {
            ...errorResponses(OWN_REFUSALS, responses, { prefix: 'Open' }),
            422: responses.share('OpenValidationError', validationResponse([])),
          }
        : ownRefusals(route)),
    },
  };
}

export const OPEN_TAG = 'without a key';

function ownRefusals(route: OpenRoute): Responses {
  const common = { headers: headersOf(['X-Request-ID']), content: contentOf(route) };
  return {
    404: { description: 'The requested record does not exist', ...common },
    422: { description: 'Parameters are missing or invalid; names the first problem', ...common },
    429: {
      description: 'Too many requests from this address',
      ...common,
      headers: headersOf(['Retry-After', 'X-Request-ID']),
    },
    503: { description: 'The service is temporarily unavailable', ...common },
  };
}

function contentOf({ type }: OpenRoute): OpenApi.ResponseObject['content'] & object {
  const name = mediaTypeOf({ type });
  return {
    [name]: { schema: name.includes('json') ? { type: 'object', additionalProperties: true } : { type: 'string' } },
  };
}
