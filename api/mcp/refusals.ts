import type { FastifyInstance, FastifyRequest } from 'fastify';
import { API_ERRORS } from '../data/api-errors.ts';
import { sendError } from '../server/errors/error-handling.ts';
import { HttpError, RequestInvalid, type RequestProblem } from '../server/errors/http-error.ts';

/** Where the arguments of a tool are wrong; the first element of `loc`, in place of the part of a URL. */
const PLACE = 'arguments';

/** A problem of one argument, in the form that all have. */
export function argumentProblem(
  name: string,
  input: unknown,
  { msg, type }: Pick<RequestProblem, 'msg' | 'type'>,
): RequestProblem {
  return { loc: [PLACE, name], msg, type, input: input ?? null, ctx: {} };
}

/** An error of a route as a tool tells it: its parameters are the tool's arguments. */
export function inArguments(error: unknown): unknown {
  if (!(error instanceof RequestInvalid)) return error;
  return new RequestInvalid(error.detail.map((problem) => ({ ...problem, loc: [PLACE, ...problem.loc.slice(1)] })));
}

/** Codes of JSON-RPC 2.0 for a body that is no message. */
const [PARSE_ERROR, INVALID_REQUEST] = [-32_700, -32_600];

/** What may be wrong with a body; any other refusal is told as all routes tell it. */
const OF_THE_BODY = ['bad_request', 'payload_too_large', 'unsupported_media_type'];

/** Makes a scope refuse bodies that are no message as JSON-RPC does, with the status and the headers that they have anyhow. */
export function refuseAsJsonRpc(scope: FastifyInstance, baseUrlOf: (request: FastifyRequest) => string): void {
  const contextOf = (request: FastifyRequest) => ({
    requestId: request.id,
    baseUrl: baseUrlOf(request),
    errors: API_ERRORS,
  });
  scope.setErrorHandler((error: unknown, request, reply) => {
    if (!(error instanceof HttpError && OF_THE_BODY.includes(error.code))) throw error;
    return sendError(error, request, { reply, contextOf, bodyOf: () => bodyOf(error) });
  });
}

/** Nobody knows of which message it is. */
function bodyOf({ message, code, cause }: HttpError): string {
  const isUnread = cause instanceof Error;
  return JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: isUnread ? PARSE_ERROR : INVALID_REQUEST, message, data: { code } },
  });
}
