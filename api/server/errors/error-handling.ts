import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ReportedReasons } from '../../../runtime/repeat.ts';
import { HTML_TYPE, type ResponseHeaders } from '../response-headers.ts';
import { type ErrorContext, type ErrorResponse, errorResponseFrom, noSuchRoute } from './error-response.ts';
import { type HttpError, RequestInvalid } from './http-error.ts';

export type ContextOf = (request: FastifyRequest) => ErrorContext;

/** How long the reason of an outage is not told again: requests don't say when it is over. */
export const TOLD_AGAIN_MS = 60_000;

/** An error for people, in HTML, with the headers that it is sent with. */
export interface MissingPage {
  readonly html: string;
  readonly headers: ResponseHeaders;
}

/** The page for whoever is told of an error; undefined where all are told by the envelope. */
export type FindMissing = (thrown: unknown, request: FastifyRequest) => Promise<MissingPage | undefined> | undefined;

/** Makes every error an answer; what is not meant for callers goes to the log. @param findMissing what people see where there is nothing */
export function addErrorHandling(
  app: FastifyInstance,
  { contextOf, findMissing }: { readonly contextOf: ContextOf; readonly findMissing: FindMissing },
): void {
  const told = new ReportedReasons({ againMs: TOLD_AGAIN_MS });
  app.setErrorHandler((error: unknown, request, reply) => {
    const tell = (thrown: unknown) => sendError(thrown, request, { reply, contextOf, told });
    const shown = findMissing(error, request);
    return shown?.then((page) => (page === undefined ? tell(error) : sendMissing(page, reply)), tell) ?? tell(error);
  });
  app.setNotFoundHandler((request, reply) => sendError(noSuchRoute(), request, { reply, contextOf }));
}

function sendMissing({ html, headers }: MissingPage, reply: FastifyReply): FastifyReply {
  return reply.code(404).headers(headers).type(HTML_TYPE).send(html);
}

export interface SendErrorOptions {
  readonly reply: FastifyReply;
  readonly contextOf: ContextOf;
  /** Which reasons of outages the log has already; default: none. */
  readonly told?: ReportedReasons;
  /** What is told, as JSON, where a protocol has an envelope of its own; default: ours. */
  readonly bodyOf?: (error: HttpError | RequestInvalid) => string;
}

/** Sends what a caller is told of an error. */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  { reply, contextOf, told, bodyOf }: SendErrorOptions,
): FastifyReply {
  const response = errorResponseFrom(thrown, contextOf(request));
  logFailure(thrown, response, { log: request.log, told });
  return reply
    .code(response.status)
    .headers(response.headers)
    .send(bodyOf?.(response.error) ?? response.body);
}

/** Tells the log what callers are not told: all of a defect, and of an outage why, once in a while. */
export function logFailure(
  thrown: unknown,
  { status, error }: Pick<ErrorResponse, 'status' | 'error'>,
  { log, told }: { readonly log: FastifyBaseLogger; readonly told?: ReportedReasons | undefined },
): void {
  if (error instanceof RequestInvalid || status < 500) return;
  if (error.code !== 'unavailable') {
    log.error({ err: thrown }, 'request failed');
    return;
  }
  const causes = causesOf(error);
  const isNew = told?.isNew(JSON.stringify(causes), performance.now()) ?? true;
  if (isNew) log.warn({ reason: error.message, causes }, 'not available');
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
