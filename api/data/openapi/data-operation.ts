import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import type { z } from 'zod';
import type { DataRoute } from '../answers/data-route.ts';
import type { ApiErrorCode } from '../errors/api-errors.ts';
import { byStatus, errorResponse, nameFrom, validationResponse } from './error-responses.ts';
import { HEADERS, type HeaderName, headersOf } from './headers.ts';
import { BEARER, type Collectors, type Operation, type Responses } from './operation.ts';
import type { SchemaCollector } from './schema-collector.ts';

/** What every route below `/v1` may answer besides its own errors. */
export const COMMON_ERRORS: readonly ApiErrorCode[] = [
  'bad_request',
  'unauthenticated',
  'not_found',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'rate_limit_exceeded',
  'quota_exceeded',
  'headers_too_large',
  'internal_error',
  'unavailable',
];

export interface OperationOptions extends Collectors {
  /** Whether answers carry the headers of quota and burst limit, and requests may carry `Idempotency-Key`. */
  readonly hasLimits: boolean;
}

/** A data route as an operation of the OpenAPI document. */
export function dataOperation(route: DataRoute, options: OperationOptions): Operation {
  const { schemas, hasLimits } = options;
  const { operationId, summary, description, params, query, capability } = route;
  const shared = ['IfNoneMatch', 'IfModifiedSince', ...(hasLimits && route.isFree !== true ? ['IdempotencyKey'] : [])];
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [capability],
    security: BEARER,
    parameters: [
      ...parametersFrom(params, 'path', schemas),
      ...parametersFrom(query, 'query', schemas),
      ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    responses: responsesOf(route, options),
  };
}

function responsesOf(route: DataRoute, { schemas, responses, hasLimits }: OperationOptions): Responses {
  const limits: readonly HeaderName[] = hasLimits ? HEADERS.limits : [];
  const features: readonly ApiErrorCode[] = route.feature === null || !hasLimits ? [] : ['feature_not_in_plan'];
  const common = COMMON_ERRORS.filter((code) => route.isFree !== true || code !== 'quota_exceeded');
  const codes = [...new Set([...common, ...features, ...route.errors])];
  const schema = schemas.schemaFrom(route.response, 'output');
  return {
    200: {
      description: route.summary,
      headers: headersOf([...HEADERS.data, ...limits]),
      content: { 'application/json': { schema, example: route.example } },
    },
    ...(route.redirects === true
      ? { 302: { description: 'To the signed URL', headers: headersOf([...HEADERS.redirect, ...limits]) } }
      : {}),
    304: responses.share('NotModified', {
      description: 'What the request names in If-None-Match or If-Modified-Since still holds; costs no quota',
      headers: headersOf([...HEADERS.notModified, ...limits]),
    }),
    ...Object.fromEntries(
      byStatus(codes).map(([status, of]) => [status, responses.share(nameFrom(of), errorResponse(of, limits))]),
    ),
    422: responses.share('ValidationError', validationResponse(limits)),
  };
}

/** The parameters of one place, each with what it takes, its default and an example. */
export function parametersFrom(
  schema: z.ZodObject,
  place: 'path' | 'query',
  schemas: SchemaCollector,
): readonly OpenApi.ParameterObject[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const type = field as z.ZodType; // As a ZodObject's shape holds.
    const { description, example, ...rest } = schemas.schemaFrom(type, 'input');
    const absent = type.safeParse(undefined);
    const fallback = absent.success && absent.data !== undefined ? { default: absent.data } : {};
    return {
      name,
      in: place,
      required: !absent.success,
      description: String(description),
      schema: { ...rest, ...fallback },
      example: example ?? fallback.default,
    };
  });
}
