import { randomFillSync } from 'node:crypto';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { ulid } from 'ulid';
import type { RawResponse } from './errors/raw-responses.ts';
import type { Metrics } from './metrics.ts';
import type { ShowUrl } from './urls.ts';

/** Stands in log and metrics where a connection ended before the answer was sent to its end; no client ever sees it. */
export const ABORTED_STATUS = 499;

export interface ResponseLogOptions {
  readonly metrics: Metrics;
  readonly showUrl: ShowUrl;
  /** Told of every answer that was sent; the log has what it returns as `cache`. */
  readonly onResponse?: ((request: FastifyRequest, reply: FastifyReply) => string | undefined) | undefined;
}

/** Logs and counts an answer that was sent to its end. */
export function logResponse(request: FastifyRequest, reply: FastifyReply, options: ResponseLogOptions): void {
  const { method, log } = request;
  const { statusCode: status, elapsedTime } = reply;
  options.metrics.onResponse(routeOf(request), status, elapsedTime / 1000);
  const cache = options.onResponse?.(request, reply);
  const url = options.showUrl(request.url);
  log.info({ method, url, status, ms: Math.round(elapsedTime), cache }, 'answered');
}

/** The same for a request whose connection ended before its answer was sent to its end. */
export function logAbort(
  request: FastifyRequest,
  reply: FastifyReply,
  { abort, metrics, showUrl }: Pick<ResponseLogOptions, 'metrics' | 'showUrl'> & { readonly abort: Abort },
): void {
  const { method, log } = request;
  const { elapsedTime } = reply;
  const { hasBegun, reason } = abort;
  metrics.onResponse(routeOf(request), ABORTED_STATUS, elapsedTime / 1000);
  const url = showUrl(request.url);
  const line = { method, url, status: ABORTED_STATUS, ms: Math.round(elapsedTime), aborted: true, hasBegun, reason };
  log.info(line, 'the connection ended before the answer');
}

/** Logs and counts an answer to what Fastify never saw; it took no time to make. */
export function logRawResponse(
  { requestId, method, url, status, reason }: RawResponse,
  logger: FastifyBaseLogger | undefined,
  { metrics, showUrl }: Pick<ResponseLogOptions, 'metrics' | 'showUrl'>,
): void {
  metrics.onResponse(UNKNOWN_ROUTE, status, 0);
  const asked = { method: method ?? null, url: url === undefined ? null : showUrl(url) };
  logger?.child({ reqId: requestId }).info({ ...asked, status, ms: 0, reason }, 'answered');
}

const UNKNOWN_ROUTE = 'unknown';

/** The pattern of the route, of which there are few. */
function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions?.url ?? UNKNOWN_ROUTE;
}

/** How a request ended that was not answered to its end. */
export interface Abort {
  /** Whether any of the answer was sent; false where it waited behind another one, or was still being made. */
  readonly hasBegun: boolean;
  /** What broke the connection, where more is known than that it ended. */
  readonly reason: string | undefined;
}

/**
 * Calls back once, when nothing more will be sent: without an abort where the answer was sent to its end, else with what is
 * known of it, since the client hung up or was cut off.
 */
export function watchEnd(
  request: FastifyRequest,
  reply: FastifyReply,
  onEnd: (abort: Abort | undefined) => void,
): void {
  const { raw } = reply;
  // Once: Node closes the one that was being sent as well.
  raw.once('close', () => {
    if (raw.writableFinished) onEnd(undefined);
    // An answer that waits has no socket yet.
    else onEnd({ hasBegun: raw.headersSent && raw.socket !== null, reason: request.raw.socket.errored?.message });
  });
}

/** Random bytes drawn at once. One draw for each letter of an id would cost more than the rest of a cached answer. */
const POOL_BYTES = 4096;

/** Makes request ids, ULIDs. */
export function requestIds(): () => string {
  const pool = Buffer.alloc(POOL_BYTES);
  let next = POOL_BYTES;
  const random = () => {
    if (next === POOL_BYTES) {
      randomFillSync(pool);
      next = 0;
    }
    next += 1;
    return (pool[next - 1] ?? 0) / 256;
  };
  return () => ulid(undefined, random);
}
