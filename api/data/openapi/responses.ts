import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import { errorBody } from '../../server/errors/error-response.ts';
import type { RequestProblem } from '../../server/errors/http-error.ts';
import { API_ERRORS, ApiError, type ApiErrorCode, type ApiErrorOptions } from '../api-errors.ts';
import type { ResponseCollector } from './operation.ts';

const PARTICULARS: Partial<Readonly<Record<ApiErrorCode, ApiErrorOptions>>> = {
  feature_not_in_plan: { plan: 'community' },
  history_window_exceeded: { param: 'from', plan: 'community' },
  not_found: { param: 'id' },
  cursor_expired: { param: 'cursor', retainedFrom: '2025-06-04' },
  rate_limit_exceeded: { limitType: 'burst', limitScope: 'route', resetAt: '2026-06-30T12:00:17Z' },
  quota_exceeded: { limitType: 'daily_quota', plan: 'community', resetAt: '2026-07-01T00:00:00Z' },
};

const EXAMPLE_CONTEXT = { requestId: '01M7Z48TAKDAYA8MED1743RKRH', baseUrl: 'https://api.example.com' };

/** Refusals before authentication have no limit headers (specification "Order of checks"). */
const BEFORE_THE_KEY: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>([
  'unauthenticated',
  'request_timeout',
  'payload_too_large',
  'headers_too_large',
]);

/** @param limits the limit headers, if the service has limits */
function errorResponse(codes: readonly ApiErrorCode[], limits: readonly HeaderName[] = []): OpenApi.ResponseObject {
  const more = codes.every((code) => BEFORE_THE_KEY.has(code)) ? [] : limits;
  const canRetry = codes.some((code) => API_ERRORS[code].status === 429 || code === 'unavailable');
  return {
    description: codes.map((code) => `\`${code}\`: ${API_ERRORS[code].title}`).join('. '),
    headers: headersOf([...HEADERS[canRetry ? 'retry' : 'meta'], ...more]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
      },
    },
  };
}

function exampleOf(code: ApiErrorCode): OpenApi.ExampleObject {
  const { title, help } = API_ERRORS[code];
  return { summary: help, value: errorBody(new ApiError(code, title, PARTICULARS[code]), EXAMPLE_CONTEXT) };
}

const PROBLEMS: readonly RequestProblem[] = [
  { loc: ['query', 'category'], msg: 'Field required', type: 'missing', input: null, ctx: {} },
  {
    loc: ['query', 'limit'],
    msg: 'Input should be less than or equal to 50',
    type: 'less_than_equal',
    input: '51',
    ctx: { le: 50 },
  },
];

export function validationResponse(more: readonly HeaderName[]): OpenApi.ResponseObject {
  return {
    description: 'Parameters are missing or invalid; lists all problems of path and query',
    headers: headersOf([...HEADERS.meta, ...more]),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/ValidationError' }, example: { detail: PROBLEMS } },
    },
  };
}

/** `rate_limit_exceeded` and `quota_exceeded` → `RateLimitExceededOrQuotaExceeded`. */
function nameFrom(codes: readonly ApiErrorCode[]): string {
  const titled = codes.map((code) => code.split('_').map((part) => part.charAt(0).toUpperCase() + part.slice(1)));
  return titled.map((parts) => parts.join('')).join('Or');
}

/** Error codes by status, ascending. */
function byStatus(codes: readonly ApiErrorCode[]): readonly (readonly [number, readonly ApiErrorCode[]])[] {
  const statuses = [...new Set(codes.map((code) => API_ERRORS[code].status))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => API_ERRORS[code].status === status)]);
}

/** Error responses by status, shared between operations. */
export function errorResponses(
  codes: readonly ApiErrorCode[],
  shared: ResponseCollector,
  { prefix = '', limits }: { readonly prefix?: string; readonly limits?: readonly HeaderName[] } = {},
): Readonly<Record<string, OpenApi.ReferenceObject>> {
  const responses = byStatus(codes).map(
    ([status, of]) => [status, shared.share(prefix + nameFrom(of), errorResponse(of, limits))] as const,
  );
  return Object.fromEntries(responses);
}

type Header = OpenApi.HeaderObject & { readonly schema: object };

function text(description: string, example: string, more: object = {}): Header {
  return { description, schema: { type: 'string', ...more }, example };
}

function count(description: string, example: number): Header {
  return { description, schema: { type: 'integer', minimum: 0 }, example };
}

function countOrUnlimited(description: string, example: number): Header {
  const schema = { anyOf: [{ type: 'integer', minimum: 0 }, { const: 'unlimited' }] } satisfies OpenApi.SchemaObject;
  return { description, schema, example };
}

/** On every response. */
const REQUEST_ID = { 'X-Request-ID': text('Unique id of the request, for support', '01M7Z48TAKDAYA8MED1743RKRH') };

/** On 200 and 304 of data routes (specification "Conditional requests"; specification "Freshness"). */
const CONDITIONAL = {
  ETag: text('Strong entity tag of the response, for If-None-Match', '"5aac5a2389c93885ffe2d8646e07e326"'),
  'Last-Modified': text('When the response last changed, for If-Modified-Since', 'Tue, 30 Jun 2026 00:20:00 GMT'),
  'Cache-Control': text('How long the response may be cached, and by whom', 'public, max-age=60'),
  Vary: text('Request headers that the response depends on', 'Authorization, accept-encoding'),
  'X-Data-As-Of': text('Point in time that the data reflect', '2026-06-29T23:59:59Z', { format: 'date-time' }),
};

const CACHE = {
  'X-Cache': text('Whether the response came from the cache', 'HIT', { enum: ['HIT', 'MISS', 'BYPASS'] }),
};

const RETRY = { 'Retry-After': count('Seconds to wait; on 503 while the server starts', 17) };

const REDIRECT = { Location: text('The signed URL', 'https://files.example.com/…', { format: 'uri-reference' }) };

/** On every response to a request with a key (specification "Limit headers"). */
const LIMITS = {
  'X-RateLimit-Limit': count('Requests per minute that the organization may send', 300),
  'X-RateLimit-Remaining': count('Requests left in the current minute', 299),
  'X-RateLimit-Reset': count('When more requests become available, in Unix seconds', 1782821700),
  'X-Quota-Limit': countOrUnlimited('Data responses per day, bonus included', 5000),
  'X-Quota-Used': count('Data responses counted today', 12),
  'X-Quota-Remaining': countOrUnlimited('Data responses left today; at 0 the next one is refused', 4988),
  'X-Quota-Reset': count('The next midnight UTC, in Unix seconds', 1782864000),
  'CDN-Cache-Control': text('The response is for this key alone', 'no-store'),
  'X-Service-Plan': text('The plan of the organization', 'builder', { enum: ['community', 'builder', 'commercial'] }),
};

export const HEADER_COMPONENTS = { ...REQUEST_ID, ...CONDITIONAL, ...CACHE, ...RETRY, ...REDIRECT, ...LIMITS };

export type HeaderName = keyof typeof HEADER_COMPONENTS;

export const HEADERS = {
  meta: namesOf(REQUEST_ID),
  data: [...namesOf(CONDITIONAL), ...namesOf(CACHE), ...namesOf(REQUEST_ID)],
  notModified: [...namesOf(CONDITIONAL), ...namesOf(CACHE), ...namesOf(REQUEST_ID)],
  redirect: [...namesOf(REDIRECT), ...namesOf(CONDITIONAL), ...namesOf(CACHE), ...namesOf(REQUEST_ID)],
  retry: [...namesOf(RETRY), ...namesOf(REQUEST_ID)],
  limits: namesOf(LIMITS),
} as const satisfies Readonly<Record<string, readonly HeaderName[]>>;

function namesOf<T extends object>(headers: T): readonly (keyof T & HeaderName)[] {
  return Object.keys(headers) as (keyof T & HeaderName)[]; // Of a literal just above.
}

/** Headers of one route, from their descriptions by name. */
export function textHeaders(descriptions: Readonly<Record<string, string>> = {}): Record<string, OpenApi.HeaderObject> {
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

export function headersOf(names: readonly HeaderName[]): Record<string, OpenApi.ReferenceObject> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
