import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode as AppErrorCode, isAppError } from '../../schemas/errors.ts';
import { ApiError, type ErrorContext, errorBody, notFound } from './api-error.ts';
import { API_ERRORS, type ApiErrorCode } from './error-codes.ts';
import { ToldReasons } from './told-reasons.ts';
import { RequestInvalid } from './validation.ts';

export type ContextOf = (request: FastifyRequest) => ErrorContext;

/** Every answer that is an error gets the envelope, or the body of 422; what is not meant for callers goes to the log. */
export function addErrorHandling(app: FastifyInstance, contextOf: ContextOf): void {
  const told = new ToldReasons();
  app.setErrorHandler((error: unknown, request, reply) => sendError(error, request, { reply, contextOf, told }));
  app.setNotFoundHandler((request, reply) =>
    sendError(notFound(null, 'There is no such route'), request, { reply, contextOf }),
  );
}

export interface SendErrorOptions {
  readonly reply: FastifyReply;
  readonly contextOf: ContextOf;
  /** Which reasons of outages the log has already; default: none. */
  readonly told?: ToldReasons;
}

/** Sends an error as its code says. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  { reply, contextOf, told }: SendErrorOptions,
): FastifyReply {
  reply.headers({ 'Cache-Control': 'no-store', 'X-Request-ID': request.id });
  if (error instanceof RequestInvalid) return reply.code(422).send({ detail: error.detail });
  const known = apiErrorFrom(error);
  if (known.code === 'unavailable') {
    const causes = causesOf(known);
    const isNew = told?.isNew(JSON.stringify(causes), performance.now()) ?? true;
    if (isNew) request.log.warn({ reason: known.message, causes }, 'not available');
  } else if (known.status >= 500) request.log.error({ err: error }, 'request failed');
  if (known.code === 'unauthenticated') reply.header('WWW-Authenticate', 'Bearer');
  return reply
    .code(known.status)
    .headers({ ...known.options.headers })
    .send(errorBody(known, contextOf(request)));
}

/** What an error and all that caused it say, the nearest first. */
function causesOf(error: Error): readonly string[] {
  const messages: string[] = [];
  for (let at: unknown = error; at instanceof Error && messages.length < CAUSES_MAX; at = at.cause)
    messages.push(at.message);
  return [...new Set(messages)];
}

/** More than any error of ours has. */
const CAUSES_MAX = 5;

function apiErrorFrom(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isAppError(error)) return TOLD_OF_APP_ERRORS[error.code](error);
  const status = statusOf(error);
  const code = status === undefined ? undefined : codeFrom(status);
  if (code !== undefined) return new ApiError(code, MESSAGES[code] ?? API_ERRORS[code].title, { cause: error });
  return toldAsDefect(error);
}

/**
 * What callers are told of an `AppError`, the only place where its codes and those of answers meet. An AppError's code
 * is for programs: exit codes, logs, retries. The same word may mean another thing there: `not_found` is an object that the
 * store should have, which is our trouble and no caller's, while a `not_found` of an answer is what a caller asked for.
 */
const TOLD_OF_APP_ERRORS: Readonly<Record<AppErrorCode, (error: Error) => ApiError>> = {
  unavailable: (error) => new ApiError('unavailable', error.message, { cause: error }),
  store_unavailable: (error) => {
    const message = 'The store of the snapshots does not answer; try again in a moment';
    return new ApiError('unavailable', message, { cause: error });
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

function toldAsDefect(error: unknown): ApiError {
  const message = 'Something went wrong on our side; the request_id helps us find it';
  return new ApiError('internal_error', message, { cause: error });
}

/** Whatever else is the caller's mistake is a bad request; whatever is ours has no code here. */
function codeFrom(status: number): ApiErrorCode | undefined {
  return FRAMEWORK_CODES[status] ?? (status >= 400 && status < 500 ? 'bad_request' : undefined);
}

/** Refusals of Fastify and of its plugins, by their status. A path that leads out of a folder (403) leads nowhere. */
const FRAMEWORK_CODES: Readonly<Record<number, ApiErrorCode>> = {
  400: 'bad_request',
  403: 'not_found',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  412: 'precondition_failed',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  416: 'range_not_satisfiable',
  429: 'rate_limit_exceeded',
  431: 'headers_too_large',
  503: 'unavailable',
};

const MESSAGES: Partial<Readonly<Record<ApiErrorCode, string>>> = {
  bad_request: 'The request is not proper HTTP, or its URL is not properly percent-encoded',
  not_found: 'There is no such route',
  payload_too_large: 'The request has a body, which is not needed, and it is too large',
  uri_too_long: 'The URL, or an id in it, is too long',
  unsupported_media_type: 'The request has a body of an unknown kind; none is needed',
  range_not_satisfiable: 'The range begins behind the end of the file',
  unavailable: 'The service can not answer just now; try again in a moment',
};

function statusOf(error: unknown): number | undefined {
  const { statusCode } = error as Partial<FastifyError>; // Fastify's own errors carry one.
  return statusCode;
}
