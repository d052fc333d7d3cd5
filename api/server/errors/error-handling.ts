import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ReportedReasons } from '../../../runtime/repeat.ts';
import { HTML_TYPE, type ResponseHeaders } from '../response-headers.ts';
import { type ErrorContext, type ErrorResponse, errorResponseFrom, noSuchRoute } from './error-response.ts';
import { type HttpError, RequestInvalid } from './http-error.ts';

export type ContextOf = (request: FastifyRequest) => ErrorContext;

/** The cause of an outage is logged again after this time. */
export const REPORT_INTERVAL_MS = 60_000;

/** An HTML error page with its headers. */
export interface MissingPage {
  readonly html: string;
  readonly headers: ResponseHeaders;
}

/** The HTML page for an error; undefined: the error envelope. */
export type FindMissing = (thrown: unknown, request: FastifyRequest) => Promise<MissingPage | undefined> | undefined;

/** Turns errors into responses; internals go to the log only. @param findMissing HTML page for a 404 */
export function addErrorHandling(
  app: FastifyInstance,
  { contextOf, findMissing }: { readonly contextOf: ContextOf; readonly findMissing: FindMissing },
): void {
  const reported = new ReportedReasons({ againMs: REPORT_INTERVAL_MS });
  app.setErrorHandler((error: unknown, request, reply) => {
    const respond = (thrown: unknown) => sendError(thrown, request, { reply, contextOf, reported });
    const shown = findMissing(error, request);
    return (
      shown?.then((page) => (page === undefined ? respond(error) : sendMissing(page, reply)), respond) ?? respond(error)
    );
  });
  app.setNotFoundHandler((request, reply) => sendError(noSuchRoute(), request, { reply, contextOf }));
}

function sendMissing({ html, headers }: MissingPage, reply: FastifyReply): FastifyReply {
  return reply.code(404).headers(headers).type(HTML_TYPE).send(html);
}

export interface SendErrorOptions {
  readonly reply: FastifyReply;
  readonly contextOf: ContextOf;
  /** Causes of outages already logged; default: none. */
  readonly reported?: ReportedReasons;
  /** JSON body for protocols with their own envelope; default: ours. */
  readonly bodyOf?: (error: HttpError | RequestInvalid) => string;
}

export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  { reply, contextOf, reported, bodyOf }: SendErrorOptions,
): FastifyReply {
  const response = errorResponseFrom(thrown, contextOf(request));
  logFailure(thrown, response, { log: request.log, reported });
  return reply
    .code(response.status)
    .headers(response.headers)
    .send(bodyOf?.(response.error) ?? response.body);
}

/** Logs what callers don't see: a defect in full, the cause of an outage at intervals. */
export function logFailure(
  thrown: unknown,
  { status, error }: Pick<ErrorResponse, 'status' | 'error'>,
  { log, reported }: { readonly log: FastifyBaseLogger; readonly reported?: ReportedReasons | undefined },
): void {
  if (error instanceof RequestInvalid || status < 500) return;
  if (error.code !== 'unavailable') {
    log.error({ err: thrown }, 'request failed');
    return;
  }
  const causes = causesOf(error);
  const isNew = reported?.isNew(JSON.stringify(causes), performance.now()) ?? true;
  if (isNew) log.warn({ reason: error.message, causes }, 'unavailable');
}

/** Messages of an error and its causes, nearest first. */
function causesOf(error: Error): readonly string[] {
  const messages: string[] = [];
  for (let at: unknown = error; at instanceof Error && messages.length < CAUSES_MAX; at = at.cause)
    messages.push(at.message);
  return [...new Set(messages)];
}

const CAUSES_MAX = 5;
