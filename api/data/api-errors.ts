import { z } from 'zod';
import {
  ERROR_FIELDS,
  type ErrorTable,
  HttpError,
  type HttpErrorOptions,
  REQUEST_ID_FIELD,
} from '../server/errors/http-error.ts';

/**
 * Every error code of the API (specification "Error codes"). The error handler, the OpenAPI document and the `help_url`
 * pages derive from this table; `api/server/errors/error-response.ts` maps the codes of `AppError` to these.
 */
export const API_ERRORS = {
  bad_request: {
    status: 400,
    title: 'The request is not valid HTTP, or its URL is not properly percent-encoded',
    help: 'Encode ids in paths, for example %2F for a slash, and send requests without a body.',
  },
  unauthenticated: {
    status: 401,
    title: 'The API key is missing, malformed, unknown or revoked',
    help: 'Send the header "Authorization: Bearer <API_KEY>" with a key of your organization that is not revoked.',
  },
  feature_not_in_plan: {
    status: 403,
    title: "Your organization's plan doesn't include this feature",
    help: 'The message names the plan that includes it. GET /v1/account lists the features of your plan; "incremental" is the change feed.',
  },
  history_window_exceeded: {
    status: 403,
    title: 'The range begins or ends before the history that your plan includes',
    help: 'The message names the earliest allowed date; omit "from" to start there.',
  },
  signature_invalid: {
    status: 403,
    title: 'The signed URL has expired or was altered',
    help: 'Request a new one from GET /v1/snapshots/{snapshot_id}/download; it is valid for 15 minutes.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'A web page of another site sent the request',
    help: 'Send MCP messages from a program or from a page of this service: "Origin" must be absent or name this service.',
  },
  not_found: {
    status: 404,
    title: 'There is no such route, model, benchmark, category or snapshot',
    help: '"param" names the parameter with the unknown value; without "param", the route is unknown. Ids are case-sensitive.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The route does not have this method',
    help: 'The header Allow lists the methods of the route: GET and HEAD for all data.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    help: 'Send the whole request at once; try again on a better connection.',
  },
  cursor_expired: {
    status: 410,
    title: 'The change feed no longer has the events after this cursor',
    help: 'Import the latest snapshot and continue from its change_cursor.',
  },
  precondition_failed: {
    status: 412,
    title: 'The file has changed: If-Match or If-Unmodified-Since does not hold',
    help: 'Download the whole file again, without these headers.',
  },
  payload_too_large: {
    status: 413,
    title: 'The request has a body that is too large',
    help: 'Send requests without a body; every parameter belongs in the URL.',
  },
  uri_too_long: {
    status: 414,
    title: 'The URL, or an id in it, is too long',
    help: 'Ids have up to 200 characters; leave out parameters that are not needed.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The request has a body of an unsupported type',
    help: 'Send requests without a body.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The range begins after the end of the file',
    help: 'Compare the size of your file with "bytes" of the manifest: the download is complete, or must start again.',
  },
  rate_limit_exceeded: {
    status: 429,
    title: 'Too many requests within a minute',
    help: 'Wait for "Retry-After" seconds plus a random delay, then try again; refused requests count too.',
  },
  quota_exceeded: {
    status: 429,
    title: "Your organization's daily quota is used up",
    help: 'Stop data requests until "reset_at", the next midnight UTC; GET /v1/account keeps working.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers of the request, its URL included, are too large or too many',
    help: 'Send fewer or shorter headers, or a shorter URL.',
  },
  internal_error: {
    status: 500,
    title: 'An internal server error',
    help: 'Try again later; if the error persists, report the request_id.',
  },
  format_not_supported: {
    status: 501,
    title: 'The requested format is not supported',
    help: 'Omit "format", or set it to "json".',
  },
  unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    help: 'Try again in a moment. No release may be published yet, or the service is busy or starting.',
  },
} as const satisfies ErrorTable;

export type ApiErrorCode = keyof typeof API_ERRORS;

export interface ApiErrorOptions extends Omit<HttpErrorOptions, 'fields'> {
  readonly limitType?: 'burst' | 'daily_quota';
  /** A route's backstop, or the organization's burst limit. */
  readonly limitScope?: 'route' | 'organization';
  readonly plan?: string | undefined;
  /** ISO 8601. */
  readonly resetAt?: string;
  /** First day in the change feed; null before any. */
  readonly retainedFrom?: string | null;
}

export class ApiError extends HttpError {
  override readonly name = 'ApiError';

  constructor(code: ApiErrorCode, message: string, options: ApiErrorOptions = {}) {
    const { limitType, limitScope, plan, resetAt, retainedFrom, ...rest } = options;
    const fields = {
      limit_type: limitType,
      limit_scope: limitScope,
      plan,
      reset_at: resetAt,
      retained_from: retainedFrom,
    };
    super({ code, status: API_ERRORS[code].status }, message, { ...rest, fields });
  }
}

const CODES = Object.keys(API_ERRORS) as readonly ApiErrorCode[]; // Of a literal.

const ErrorCodeSchema = z.enum(CODES).meta({
  id: 'ErrorCode',
  description: 'Stable and machine-readable. Minor versions may add codes: treat an unknown one by its status',
});
const LimitTypeSchema = z
  .enum(['burst', 'daily_quota'])
  .meta({ id: 'LimitType', description: 'Minor versions may add types' });
const LimitScopeSchema = z
  .enum(['route', 'organization'])
  .meta({ id: 'LimitScope', description: 'Minor versions may add scopes' });

const ErrorDetailSchema = z
  .object({
    ...ERROR_FIELDS,
    code: ErrorCodeSchema,
    limit_type: LimitTypeSchema.nullable().optional().describe('Which limit was reached'),
    limit_scope: LimitScopeSchema.nullable()
      .optional()
      .describe('Whose limit per minute was reached: that of the route, or of the organization'),
    plan: z.string().nullable().optional().describe('The plan of the organization'),
    reset_at: z.iso
      .datetime()
      .nullable()
      .optional()
      .describe(
        'When the limit resets, as ISO 8601 date-time; in the response of GET /v1/account it is a number, Unix seconds',
      ),
    retained_from: z.iso.date().nullable().optional().describe('The first day in the change feed'),
    ...REQUEST_ID_FIELD,
  })
  .meta({ id: 'ErrorDetail', description: 'What went wrong' });

export const ErrorBodySchema = z.object({ error: ErrorDetailSchema }).meta({ id: 'Error' });
