import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { RawAnswer } from './errors/raw-answers.ts';
import type { ShowUrl } from './logged-url.ts';
import type { Metrics } from './metrics.ts';
import type { Abort } from './request-end.ts';

/** Stands in log and metrics where a connection ended before the answer was sent to its end; no client ever sees it. */
export const ABORTED_STATUS = 499;

export interface AnswerLogOptions {
  readonly metrics: Metrics;
  readonly showUrl: ShowUrl;
  /** Told of every answer that was sent; the log has what it returns as `cache`. */
  readonly onAnswer?: ((request: FastifyRequest, reply: FastifyReply) => string | undefined) | undefined;
}

/** Logs and counts an answer that was sent to its end. */
export function logAnswer(request: FastifyRequest, reply: FastifyReply, options: AnswerLogOptions): void {
  const { method, log } = request;
  const { statusCode: status, elapsedTime } = reply;
  options.metrics.onAnswer(routeOf(request), status, elapsedTime / 1000);
  const cache = options.onAnswer?.(request, reply);
  const url = options.showUrl(request.url);
  log.info({ method, url, status, ms: Math.round(elapsedTime), cache }, 'answered');
}

/** The same for a request whose connection ended before its answer was sent to its end. */
export function logAbort(
  request: FastifyRequest,
  reply: FastifyReply,
  { abort, metrics, showUrl }: Pick<AnswerLogOptions, 'metrics' | 'showUrl'> & { readonly abort: Abort },
): void {
  const { method, log } = request;
  const { elapsedTime } = reply;
  const { hasBegun, reason } = abort;
  metrics.onAnswer(routeOf(request), ABORTED_STATUS, elapsedTime / 1000);
  const url = showUrl(request.url);
  const line = { method, url, status: ABORTED_STATUS, ms: Math.round(elapsedTime), aborted: true, hasBegun, reason };
  log.info(line, 'the connection ended before the answer');
}

/** Logs and counts an answer to what Fastify never saw; it took no time to make. */
export function logRawAnswer(
  { requestId, method, url, status, reason }: RawAnswer,
  logger: FastifyBaseLogger | undefined,
  { metrics, showUrl }: Pick<AnswerLogOptions, 'metrics' | 'showUrl'>,
): void {
  metrics.onAnswer(UNKNOWN_ROUTE, status, 0);
  const asked = { method: method ?? null, url: url === undefined ? null : showUrl(url) };
  logger?.child({ reqId: requestId }).info({ ...asked, status, ms: 0, reason }, 'answered');
}

const UNKNOWN_ROUTE = 'unknown';

/** The pattern of the route, of which there are few. */
function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions?.url ?? UNKNOWN_ROUTE;
}
