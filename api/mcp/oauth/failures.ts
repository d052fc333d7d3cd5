import type { FastifyInstance, FastifyRequest } from 'fastify';
import { API_ERRORS } from '../../data/errors/api-errors.ts';
import { ToldReasons } from '../../server/errors/error-answer.ts';
import { sendError } from '../../server/errors/error-handling.ts';
import { HttpError, type RequestInvalid } from '../../server/errors/http-error.ts';

/** How long the reason of an outage is not told again. */
const TOLD_AGAIN_MS = 60_000;

/** Makes the routes of a scope refuse in OAuth's words (RFC 6749, 5.2): programs read those, and go by the code. */
export function refuseInOAuthsWords(routes: FastifyInstance, publicUrl: string): void {
  const told = new ToldReasons({ againMs: TOLD_AGAIN_MS });
  const contextOf = ({ id: requestId }: FastifyRequest) => ({ requestId, baseUrl: publicUrl, errors: API_ERRORS });
  routes.setErrorHandler((error: unknown, request, reply) =>
    sendError(error, request, { reply, contextOf, told, bodyOf }),
  );
}

function bodyOf(error: HttpError | RequestInvalid): string {
  const status = error instanceof HttpError ? error.status : 422;
  // Why the control database doesn't answer is for the log.
  const description =
    status === 503 ? 'The service can not read or write what it needs just now; try again in a moment' : error.message;
  return JSON.stringify({ error: codeOf(status), error_description: description });
}

/** A program that is told to wait keeps its tokens; after any other failure of ours some ask their user anew. */
function codeOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
