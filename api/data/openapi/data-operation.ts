import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import type { z } from 'zod';
import { AccountSchema } from '../../accounts/caller.ts';
import type { ApiErrorCode } from '../api-errors.ts';
import { JSON_TYPE } from '../responses/data-responses.ts';
import type { DataRoute } from '../responses/data-route.ts';
import {
  BEARER,
  type Collectors,
  type Operation,
  type Paths,
  type Responses,
  type SchemaCollector,
} from './operation.ts';
import { errorResponses, HEADERS, type HeaderName, headersOf, textHeaders, validationResponse } from './responses.ts';

/** Errors of every route below `/v1`, besides its own. */
const COMMON_ERRORS: readonly ApiErrorCode[] = [
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

const CSV_CONTENT = {
  'text/csv': {
    schema: {
      type: 'string',
      description:
        'With format=csv: the records, after a row of their fields; lists and objects as JSON. Of a page, X-Total-Count has the total, and Link the next page as rel="next".',
    },
  },
} as const;

export interface OperationOptions extends Collectors {
  /** Whether responses carry limit headers and requests may carry `Idempotency-Key`. */
  readonly hasLimits: boolean;
}

export function dataOperation(route: DataRoute, options: OperationOptions): Operation {
  const { schemas, hasLimits } = options;
  const { operationId, summary, description, params, query, capability, csv } = route;
  const format = csv === undefined ? [] : ['Format'];
  const shared = [
    ...format,
    'IfNoneMatch',
    'IfModifiedSince',
    ...(hasLimits && route.isFree !== true ? ['IdempotencyKey'] : []),
  ];
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
      headers: { ...headersOf([...HEADERS.data, ...limits]), ...textHeaders(route.documentedHeaders) },
      content: {
        [mediaTypeOf(route)]: { schema, example: route.example },
        ...(route.csv === undefined ? {} : CSV_CONTENT),
      },
    },
    ...(route.redirects === true
      ? { 302: { description: 'To the signed URL', headers: headersOf([...HEADERS.redirect, ...limits]) } }
      : {}),
    304: responses.share('NotModified', {
      description: 'The response named by If-None-Match or If-Modified-Since is still current; costs no quota',
      headers: headersOf([...HEADERS.notModified, ...limits]),
    }),
    ...errorResponses(codes, responses, { limits }),
    422: responses.share('ValidationError', validationResponse(limits)),
  };
}

export function mediaTypeOf({ type = JSON_TYPE }: { readonly type?: string }): string {
  return type.split(';', 1)[0] ?? type;
}

/** The parameters of a path or query. */
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

const EXAMPLE = {
  plan: {
    plan: 'builder',
    plan_version: 1,
    display_name: 'Builder',
    status: 'active',
    daily_quota: 5000,
    burst_per_minute: 300,
    history_months: 12,
    features: ['history', 'snapshots', 'incremental'],
    attribution_required: false,
    redistribution_allowed: false,
    period_end: '2026-07-01T00:00:00Z',
  },
  usage: { quota_day: '2026-06-30', used: 12, limit: 5000, remaining: 4988, reset_at: 1782864000, burst_limit: 300 },
  client_source: 'api_key',
};

export function accountOperation({ schemas, responses }: Collectors): Paths {
  const failures = COMMON_ERRORS.filter((code) => code !== 'quota_exceeded');
  return {
    '/v1/account': {
      get: {
        operationId: 'getAccount',
        summary: "The organization's plan and its usage today",
        tags: ['account'],
        security: BEARER,
        responses: {
          200: {
            description: "The organization's plan and its usage today",
            headers: headersOf([...HEADERS.meta, ...HEADERS.limits]),
            content: {
              'application/json': { schema: schemas.schemaFrom(ACCOUNT, 'output'), example: EXAMPLE },
            },
          },
          ...errorResponses(failures, responses, { limits: HEADERS.limits }),
        },
      },
    },
  };
}

const ACCOUNT = AccountSchema.meta({ id: 'Account' });
