/** Error responses: status, headers and body, independent of the server. */
import { type AppError, type ErrorCode as AppErrorCode, isAppError } from '../../../runtime/errors.ts';
import {
  type ErrorTable,
  HTTP_ERROR_STATUS,
  HttpError,
  type HttpErrorCode,
  httpError,
  notFound,
  RequestInvalid,
} from './http-error.ts';

export interface ErrorContext {
  readonly requestId: string;
  /** `scheme://host/prefix` of `help_url`. */
  readonly baseUrl: string;
  /** All codes of the service, with default messages. */
  readonly errors: ErrorTable;
}

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** For the log; the original error is its `cause`. */
  readonly error: HttpError | RequestInvalid;
}

/**
 * The error response: the envelope, or the 422 body (specification "Error envelope"; specification "Validation
 * errors"). Contains nothing internal.
 */
export function errorResponseFrom(thrown: unknown, context: ErrorContext): ErrorResponse {
  const error = thrown instanceof RequestInvalid ? thrown : httpErrorFrom(thrown, context.errors);
  const isInvalid = error instanceof RequestInvalid;
  return {
    status: isInvalid ? 422 : error.status,
    headers: {
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json; charset=utf-8',
      'X-Request-ID': context.requestId,
      ...(isInvalid ? {} : error.options.headers),
    },
    body: JSON.stringify(contentOf(error, context)),
    error,
  };
}

export function contentOf(error: HttpError | RequestInvalid, context: ErrorContext): Readonly<Record<string, unknown>> {
  return error instanceof RequestInvalid ? { detail: error.detail } : errorBody(error, context);
}

export function errorBody(
  { code, message, options }: HttpError,
  { requestId, baseUrl }: Pick<ErrorContext, 'requestId' | 'baseUrl'>,
): { readonly error: Readonly<Record<string, unknown>> } {
  const common = { code, message, param: options.param ?? null, help_url: `${baseUrl}/docs/errors/${code}` };
  const fields = Object.entries(options.fields ?? {}).filter(([, value]) => value !== undefined);
  return { error: { ...common, ...Object.fromEntries(fields), request_id: requestId } };
}

function httpErrorFrom(error: unknown, errors: ErrorTable): HttpError {
  if (error instanceof HttpError) return error;
  if (isAppError(error)) return HTTP_ERROR_FROM[error.code](error);
  const status = statusOf(error);
  const code = status === undefined ? undefined : codeFrom(status);
  if (code === undefined) return internalError(error);
  if (code === 'not_found') return noSuchRoute();
  return httpError(code, errors[code].title, { cause: error });
}

/** For missing routes, and for those the caller may not see. */
export function noSuchRoute(): HttpError {
  return notFound(null, 'There is no such route');
}

/**
 * The only place where AppError codes and those of responses meet. They can differ in meaning: an AppError `not_found`
 * is a missing object in the store, not a 404.
 */
const HTTP_ERROR_FROM: Readonly<Record<AppErrorCode, (error: AppError) => HttpError>> = {
  unavailable: (error) => {
    const { message, publicMessage = message, retryAfterSeconds } = error;
    const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
    return httpError('unavailable', publicMessage, { cause: error, headers });
  },
  store_unavailable: (error) => {
    const message = 'The data store of this service is unavailable; try again in a moment';
    return httpError('unavailable', message, { cause: error });
  },
  usage: internalError,
  configuration: internalError,
  held: internalError,
  source_rejected: internalError,
  not_found: internalError,
  precondition_failed: internalError,
  corrupt: internalError,
  internal_error: internalError,
};

function internalError(error: unknown): HttpError {
  const message = 'Something went wrong on our side; quote the request_id when you report it';
  return httpError('internal_error', message, { cause: error });
}

const CODES_BY_STATUS = new Map<number, HttpErrorCode>(
  // Typed as string[], but the keys of this literal.
  (Object.keys(HTTP_ERROR_STATUS) as HttpErrorCode[]).map((code) => [HTTP_ERROR_STATUS[code], code]),
);

/**
 * The code of an error by Fastify or a plugin. 403 (a path out of a folder) is not found; other 4xx are bad requests.
 */
function codeFrom(status: number): HttpErrorCode | undefined {
  if (status === 403) return 'not_found';
  if (status >= 500) return status === HTTP_ERROR_STATUS.unavailable ? 'unavailable' : undefined;
  return CODES_BY_STATUS.get(status) ?? (status >= 400 ? 'bad_request' : undefined);
}

function statusOf(error: unknown): number | undefined {
  const { statusCode } = Object(error) as { readonly statusCode?: number }; // Fastify's own errors have one.
  return statusCode;
}
