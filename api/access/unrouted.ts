import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ContextOf, sendError } from '../plugins/errors.ts';
import type { AccessControl } from './access-control.ts';
import { isPathBelow } from './path-below.ts';

export interface UnroutedDeps {
  readonly contextOf: ContextOf;
  /** Where callers are asked for a key, such as `/v1`. */
  readonly prefix: string;
  /** Undefined where nobody is asked. */
  readonly access: AccessControl | undefined;
}

/**
 * Answers what the framework refuses before there is a route, such as a URL that isn't properly encoded. No hook runs then;
 * below `/v1` it is authenticated and counted all the same.
 */
export async function refuseUnrouted(
  {
    error,
    request,
    reply,
  }: { readonly error: unknown; readonly request: FastifyRequest; readonly reply: FastifyReply },
  { contextOf, prefix, access }: UnroutedDeps,
): Promise<void> {
  if (access === undefined || !isPathBelow(prefix, request.url)) {
    sendError(error, request, { reply, contextOf });
    return;
  }
  let refusal = error;
  try {
    await access.admitUnrouted(request);
  } catch (reason) {
    refusal = reason;
  }
  await access.settle(request, reply);
  sendError(refusal, request, { reply, contextOf });
}
