import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorContext, errorAnswerFrom, noSuchRoute } from './error-answer.ts';
import { RequestInvalid } from './validation.ts';

export type ContextOf = (request: FastifyRequest) => ErrorContext;

/** Makes every error an answer; what is not meant for callers goes to the log. */
export function addErrorHandling(app: FastifyInstance, contextOf: ContextOf): void {
  app.setErrorHandler((error: unknown, request, reply) => sendError(error, request, { reply, contextOf }));
  app.setNotFoundHandler((request, reply) => sendError(noSuchRoute(), request, { reply, contextOf }));
}

/** Sends what a caller is told of an error. */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  { reply, contextOf }: { readonly reply: FastifyReply; readonly contextOf: ContextOf },
): FastifyReply {
  const { status, headers, body, error } = errorAnswerFrom(thrown, contextOf(request));
  if (error instanceof RequestInvalid || status < 500) return reply.code(status).headers(headers).send(body);
  if (error.code === 'unavailable') request.log.warn({ reason: error.message, cause: error.cause }, 'not available');
  else request.log.error({ err: thrown }, 'request failed');
  return reply.code(status).headers(headers).send(body);
}
