import { randomFillSync } from 'node:crypto';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { ulid } from 'ulid';
import type { RawResponse } from './errors/raw-responses.ts';
import type { Metrics } from './metrics.ts';
import type { ShowUrl } from './urls.ts';

/** Status in log and metrics if the connection ended before the response; never sent. */
export const ABORTED_STATUS = 499;

export interface ResponseLogOptions {
  readonly metrics: Metrics;
  readonly showUrl: ShowUrl;
  /** Called for every sent response; the log shows its result as `cache`. */
  readonly onResponse?: ((request: FastifyRequest, reply: FastifyReply) => string | undefined) | undefined;
}

export function logResponse(request: FastifyRequest, reply: FastifyReply, options: ResponseLogOptions): void {
  const { method, log } = request;
  const { statusCode: status, elapsedTime } = reply;
  options.metrics.onResponse(routeOf(request), status, elapsedTime / 1000);
  const cache = options.onResponse?.(request, reply);
  const url = options.showUrl(request.url);
  log.info({ method, url, status, ms: Math.round(elapsedTime), cache }, 'answered');
}

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
  log.info(line, 'the connection ended before the response');
}

/** Logs and counts a response that bypassed Fastify. */
export function logRawResponse(
  { requestId, method, url, status, reason }: RawResponse,
  logger: FastifyBaseLogger | undefined,
  { metrics, showUrl }: Pick<ResponseLogOptions, 'metrics' | 'showUrl'>,
): void {
  metrics.onResponse(UNKNOWN_ROUTE, status, 0);
  const target = { method: method ?? null, url: url === undefined ? null : showUrl(url) };
  logger?.child({ reqId: requestId }).info({ ...target, status, ms: 0, reason }, 'answered');
}

const UNKNOWN_ROUTE = 'unknown';

/** The route's pattern, for low cardinality. */
function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions?.url ?? UNKNOWN_ROUTE;
}

/** A request whose response was not fully sent. */
export interface Abort {
  /** False if it was waiting or being prepared. */
  readonly hasBegun: boolean;
  /** Why the connection broke, if known. */
  readonly reason: string | undefined;
}

/** Calls back once when nothing more will be sent; with an abort unless the response was fully sent. */
export function watchEnd(
  request: FastifyRequest,
  reply: FastifyReply,
  onEnd: (abort: Abort | undefined) => void,
): void {
  const { raw } = reply;
  // Once: Node also closes the response being sent.
  raw.once('close', () => {
    if (raw.writableFinished) onEnd(undefined);
    // A waiting response has no socket yet.
    else onEnd({ hasBegun: raw.headersSent && raw.socket !== null, reason: request.raw.socket.errored?.message });
  });
}

/** One draw of random bytes per letter of an id would cost more than the rest of a cached response. */
const POOL_BYTES = 4096;

/** ULIDs. */
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
