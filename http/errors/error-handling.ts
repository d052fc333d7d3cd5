import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorContext, errorAnswerFrom, noSuchRoute } from './error-answer.ts';
import type { HttpError } from './http-error.ts';
import { ToldReasons } from './told-reasons.ts';
import { RequestInvalid } from './validation.ts';

export type ContextOf = (request: FastifyRequest) => ErrorContext;

/** How long the reason of an outage is not told again: requests don't say when it is over. */
const TOLD_AGAIN_MS = 60_000;

/** Makes every error an answer; what is not meant for callers goes to the log. */
export function addErrorHandling(app: FastifyInstance, contextOf: ContextOf): void {
  const told = new ToldReasons({ againMs: TOLD_AGAIN_MS });
  app.setErrorHandler((error: unknown, request, reply) => sendError(error, request, { reply, contextOf, told }));
  app.setNotFoundHandler((request, reply) => sendError(noSuchRoute(), request, { reply, contextOf }));
}

export interface SendErrorOptions {
  readonly reply: FastifyReply;
  readonly contextOf: ContextOf;
  /** Which reasons of outages the log has already; default: none. */
  readonly told?: ToldReasons;
  /** What is told, as JSON, where a protocol has an envelope of its own; default: ours. */
  readonly bodyOf?: (error: HttpError | RequestInvalid) => string;
}

/** Sends what a caller is told of an error. */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  { reply, contextOf, told, bodyOf }: SendErrorOptions,
): FastifyReply {
  const { status, headers, body: ownBody, error } = errorAnswerFrom(thrown, contextOf(request));
  const body = bodyOf?.(error) ?? ownBody;
  reply.code(status).headers(headers);
  if (error instanceof RequestInvalid || status < 500) return reply.send(body);
  if (error.code === 'unavailable') {
    const causes = causesOf(error);
    const isNew = told?.isNew(JSON.stringify(causes), performance.now()) ?? true;
    if (isNew) request.log.warn({ reason: error.message, causes }, 'not available');
  } else request.log.error({ err: thrown }, 'request failed');
  return reply.send(body);
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
