import type { OpenAPIV3_1 as OpenApi } from 'openapi-types';
import { errorBody } from '../../server/errors/error-answer.ts';
import type { RequestProblem } from '../../server/errors/http-error.ts';
import { ApiError, type ApiErrorOptions } from '../errors/api-error.ts';
import { API_ERRORS, type ApiErrorCode } from '../errors/api-errors.ts';
import { HEADERS, type HeaderName, headersOf } from './headers.ts';

/** What is particular to the example of a code. */
const PARTICULARS: Partial<Readonly<Record<ApiErrorCode, ApiErrorOptions>>> = {
  feature_not_in_plan: { plan: 'community' },
  history_window_exceeded: { param: 'from', plan: 'community' },
  not_found: { param: 'id' },
  cursor_expired: { param: 'cursor', retainedFrom: '2025-06-04' },
  rate_limit_exceeded: { limitType: 'burst', limitScope: 'route', resetAt: '2026-06-30T12:00:17Z' },
  quota_exceeded: { limitType: 'daily_quota', plan: 'community', resetAt: '2026-07-01T00:00:00Z' },
};

const EXAMPLE_CONTEXT = { requestId: '01M7Z48TAKDAYA8MED1743RKRH', baseUrl: 'https://api.example.com' };

/** Refusals before it is known who asks (specification "Order of checks"): there are no limits to tell. */
const BEFORE_THE_KEY: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>([
  'unauthenticated',
  'request_timeout',
  'payload_too_large',
  'headers_too_large',
]);

/**
 * The response of a status, with an example for each code that comes with it.
 *
 * @param limits the headers that tell a caller's limits, where the service has any
 */
export function errorResponse(
  codes: readonly ApiErrorCode[],
  limits: readonly HeaderName[] = [],
): OpenApi.ResponseObject {
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

/** The response to parameters that are missing or wrong. */
export function validationResponse(more: readonly HeaderName[]): OpenApi.ResponseObject {
  return {
    description: 'Parameters are missing or wrong; all problems of path and query at once',
    headers: headersOf([...HEADERS.meta, ...more]),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/ValidationError' }, example: { detail: PROBLEMS } },
    },
  };
}

/** What the response of some codes is called: `rate_limit_exceeded` and `quota_exceeded`: `RateLimitExceededOrQuotaExceeded`. */
export function nameFrom(codes: readonly ApiErrorCode[]): string {
  const words = codes.map((code) => code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1)));
  return words.map((parts) => parts.join('')).join('Or');
}

/** Error codes by status, ascending. */
export function byStatus(codes: readonly ApiErrorCode[]): readonly (readonly [number, readonly ApiErrorCode[]])[] {
  const statuses = [...new Set(codes.map((code) => API_ERRORS[code].status))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => API_ERRORS[code].status === status)]);
}
