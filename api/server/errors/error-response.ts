/** What a caller is told of whatever went wrong: status, headers and body, for whoever sends or shows them. Knows no server. */
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
  /** `scheme://host/prefix` before the path of `help_url`. */
  readonly baseUrl: string;
  /** Every code of the service; says what is told of errors that bring no words of their own. */
  readonly errors: ErrorTable;
}

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** What it tells, for the log; the cause of a defect is in its `cause`. */
  readonly error: HttpError | RequestInvalid;
}

/**
 * The answer to a request that failed, with the envelope, or the body of 422 (specification "Error envelope"; specification
 * "Validation errors"). What is not meant for callers is not in it.
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

/** What the body of an error's answer says. */
export function contentOf(error: HttpError | RequestInvalid, context: ErrorContext): Readonly<Record<string, unknown>> {
  return error instanceof RequestInvalid ? { detail: error.detail } : errorBody(error, context);
}

/** The envelope of an error. */
export function errorBody(
  { code, message, options }: HttpError,
  { requestId, baseUrl }: Pick<ErrorContext, 'requestId' | 'baseUrl'>,
): { readonly error: Readonly<Record<string, unknown>> } {
  const told = { code, message, param: options.param ?? null, help_url: `${baseUrl}/docs/errors/${code}` };
  const fields = Object.entries(options.fields ?? {}).filter(([, value]) => value !== undefined);
  return { error: { ...told, ...Object.fromEntries(fields), request_id: requestId } };
}

function httpErrorFrom(error: unknown, errors: ErrorTable): HttpError {
  if (error instanceof HttpError) return error;
  if (isAppError(error)) return TOLD_OF_APP_ERRORS[error.code](error);
  const status = statusOf(error);
  const code = status === undefined ? undefined : codeFrom(status);
  if (code === undefined) return toldAsDefect(error);
  if (code === 'not_found') return noSuchRoute();
  return httpError(code, errors[code].title, { cause: error });
}

/** What is told where nothing is, or nothing that is the caller's to see. */
export function noSuchRoute(): HttpError {
  return notFound(null, 'There is no such route');
}

/**
 * What callers are told of an `AppError`, the only place where its codes and those of answers meet. An AppError's code
 * is for programs: exit codes, logs, retries. The same word may mean another thing there: `not_found` is an object that the
 * store should have, which is our trouble and no caller's, while a `not_found` of an answer is what a caller asked for.
 */
const TOLD_OF_APP_ERRORS: Readonly<Record<AppErrorCode, (error: AppError) => HttpError>> = {
  unavailable: (error) => {
    const { message, publicMessage = message, retryAfterSeconds } = error;
    const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
    return httpError('unavailable', publicMessage, { cause: error, headers });
  },
  store_unavailable: (error) => {
    const message = 'The store behind this service does not answer; try again in a moment';
    return httpError('unavailable', message, { cause: error });
  },
  usage: toldAsDefect,
  configuration: toldAsDefect,
  held: toldAsDefect,
  source_rejected: toldAsDefect,
  not_found: toldAsDefect,
  precondition_failed: toldAsDefect,
  corrupt: toldAsDefect,
  internal_error: toldAsDefect,
};

function toldAsDefect(error: unknown): HttpError {
  const message = 'Something went wrong on our side; the request_id helps us find it';
  return httpError('internal_error', message, { cause: error });
}

const CODES_BY_STATUS = new Map<number, HttpErrorCode>(
  // The keys of a literal are its own.
  (Object.keys(HTTP_ERROR_STATUS) as HttpErrorCode[]).map((code) => [HTTP_ERROR_STATUS[code], code]),
);

/**
 * The code of a refusal by the server or one of its plugins. A path that leads out of a folder (403) leads nowhere; whatever
 * else is the caller's mistake is a bad request; whatever is ours has none.
 */
function codeFrom(status: number): HttpErrorCode | undefined {
  if (status === 403) return 'not_found';
  if (status >= 500) return status === HTTP_ERROR_STATUS.unavailable ? 'unavailable' : undefined;
  return CODES_BY_STATUS.get(status) ?? (status >= 400 ? 'bad_request' : undefined);
}

function statusOf(error: unknown): number | undefined {
  const { statusCode } = Object(error) as { readonly statusCode?: number }; // The server's own errors carry one.
  return statusCode;
}
