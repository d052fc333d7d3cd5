import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import type { z } from 'zod';
import { HealthLiveSchema, HealthNotReadySchema, HealthReadySchema } from '../health.ts';
import { parametersFrom } from './data-operation.ts';
import type { Collectors, Operation, Paths, ResponseCollector, Responses } from './operation.ts';
import { errorResponses, HEADERS, type HeaderName, headersOf, validationResponse } from './responses.ts';

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

/** Of a service that is not ready, by its status. */
const NOT_READY: Readonly<Record<string, OpenApi.ExampleObject>> = {
  starting: {
    summary: 'There is no release to answer from yet',
    value: { status: 'starting', problem: PROBLEM, problems: [{ part: 'view', ...PROBLEM }] },
  },
  stopping: {
    summary: 'The server is about to stop; another one answers',
    value: { status: 'stopping', problem: null, problems: [] },
  },
};

/** The routes that need no key and cost no quota (specification "Routes"), but for those that are not for the public. */
export function metaOperations({ schemas, responses }: Collectors): Paths {
  const operation = operationsWith(responses);
  const html = { 'text/html': { schema: { type: 'string' } } } as const;
  return {
    '/health/live': operation('getLiveness', 'The process answers', {
      200: ok({
        'application/json': { schema: schemas.schemaFrom(HealthLiveSchema, 'output'), example: { status: 'live' } },
      }),
    }),
    '/health/ready': operation('getReadiness', 'There is a release to answer from', {
      200: ok({ 'application/json': { schema: schemas.schemaFrom(HealthReadySchema, 'output'), example: READY } }),
      503: {
        description: 'Not yet, or not any more',
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
      304: { description: 'What the request names in If-None-Match still holds', headers: headersOf(HEADERS.meta) },
    }),
    '/docs/errors': operation('listErrorPages', 'Every error code, for people', { 200: ok(html) }),
    '/docs/errors/{code}': operation(
      'getErrorPage',
      'The page that `help_url` of an error points at',
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

/** What every such operation has, and may answer. */
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

/** `/badges/models/:id.svg` → `/badges/models/{id}.svg`. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

const OPEN_HEADERS: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary', 'X-Cache', 'X-Request-ID'];
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
  return {
    operationId,
    summary,
    tags: [OPEN_TAG],
    security: [],
    parameters: [...parameters, { $ref: '#/components/parameters/IfNoneMatch' }],
    responses: {
      200: { description: summary, headers: headersOf(OPEN_HEADERS), content: contentOf(route) },
      304: { description: 'What the request names in If-None-Match still holds', headers: headersOf(OPEN_HEADERS) },
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
