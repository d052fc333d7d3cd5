import type { ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addAbortHook, isAborted } from './aborted.ts';
import type { RawAnswer } from './errors/raw-answers.ts';
import { loggedUrl } from './logged-url.ts';
import type { Metrics } from './metrics.ts';

/** Stands in log and metrics where a connection ended before the answer was sent to its end; no client ever sees it. */
export const ABORTED_STATUS = 499;

export interface AnswerLogOptions {
  readonly metrics: Metrics;
  /** How a key of callers begins, in lower case: none gets into the log. */
  readonly keyPrefix: string;
  /** Told of every answer that was sent; what it returns stands in the log beside it. */
  readonly onAnswer?: ((reply: FastifyReply) => Readonly<Record<string, unknown>>) | undefined;
  /** Whether the request got another answer, which was logged. */
  readonly isReplaced: (response: ServerResponse) => boolean;
}

/** Logs and counts each request once: when its answer was sent, or when nobody was left to send it to. */
export function addAnswerLog(app: FastifyInstance, options: AnswerLogOptions): void {
  app.addHook('onResponse', (request, reply, done) => {
    if (!isAborted(reply)) logAnswer(request, reply, options);
    done();
  });
  addAbortHook(app, (request, reply, { hasBegun, reason }) => {
    if (options.isReplaced(reply.raw)) return;
    const line = { ...count(request, reply, { ...options, status: ABORTED_STATUS }), aborted: true, hasBegun, reason };
    request.log.info(line, 'the connection ended before the answer');
  });
}

/** Logs and counts an answer; of a request that no hook sees, since its path can't be read, whoever answers it calls this. */
export function logAnswer(request: FastifyRequest, reply: FastifyReply, options: AnswerLogOptions): void {
  const line = count(request, reply, { ...options, status: reply.statusCode });
  request.log.info({ ...line, ...options.onAnswer?.(reply) }, 'answered');
}

/** Logs and counts an answer to what Fastify never saw; it took no time to make. */
export function logRawAnswer(
  { requestId, method, url, status, reason }: RawAnswer,
  logger: FastifyBaseLogger | undefined,
  { metrics, keyPrefix }: Pick<AnswerLogOptions, 'metrics' | 'keyPrefix'>,
): void {
  metrics.onAnswer(UNKNOWN_ROUTE, status, 0);
  const asked = { method: method ?? null, url: url === undefined ? null : loggedUrl(url, keyPrefix) };
  logger?.child({ reqId: requestId }).info({ ...asked, status, ms: 0, reason }, 'answered');
}

const UNKNOWN_ROUTE = 'unknown';

function count(
  request: FastifyRequest,
  reply: FastifyReply,
  { metrics, keyPrefix, status }: AnswerLogOptions & { readonly status: number },
): object {
  metrics.onAnswer(request.routeOptions?.url ?? UNKNOWN_ROUTE, status, reply.elapsedTime / 1000);
  const url = loggedUrl(request.url, keyPrefix);
  return { method: request.method, url, status, ms: Math.round(reply.elapsedTime) };
}
