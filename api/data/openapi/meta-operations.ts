import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import { HealthLiveSchema, HealthNotReadySchema, HealthReadySchema } from '../health.ts';
import { byStatus, errorResponse, nameFrom } from './error-responses.ts';
import { HEADERS, headersOf } from './headers.ts';
import type { Collectors, Paths, ResponseCollector, Responses } from './operation.ts';

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
  const refusals = byStatus(['bad_request', 'not_found', 'uri_too_long', 'internal_error']).map(([status, codes]) => {
    return [status, shared.share(`Open${nameFrom(codes)}`, errorResponse(codes))] as const;
  });
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
      responses: { ...responses, ...Object.fromEntries(refusals) },
    },
  });
}
