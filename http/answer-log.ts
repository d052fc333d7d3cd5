import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addAbortHook, isAborted } from './aborted.ts';
import { loggedUrl } from './logged-url.ts';
import type { Metrics } from './metrics.ts';

/** Stands in log and metrics where a connection ended before the answer was sent to its end; no client ever sees it. */
export const ABORTED_STATUS = 499;

/** Logs and counts each request once: when its answer was sent, or when nobody was left to send it to. */
export function addAnswerLog(app: FastifyInstance, metrics: Pick<Metrics, 'onAnswer'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    if (!isAborted(reply)) {
      count(request, reply, { status: reply.statusCode, metrics });
      request.log.info(lineOf(request, reply, reply.statusCode), 'answered');
    }
    done();
  });
  addAbortHook(app, (request, reply, { hasBegun, reason }) => {
    count(request, reply, { status: ABORTED_STATUS, metrics });
    const line = { ...lineOf(request, reply, ABORTED_STATUS), aborted: true, hasBegun, reason };
    request.log.info(line, 'the connection ended before the answer');
  });
}

function count(
  { routeOptions }: FastifyRequest,
  reply: FastifyReply,
  { status, metrics }: { readonly status: number; readonly metrics: Pick<Metrics, 'onAnswer'> },
): void {
  const cache = status === ABORTED_STATUS ? undefined : reply.getHeader('x-cache');
  metrics.onAnswer(routeOptions.url ?? 'unknown', status, { seconds: reply.elapsedTime / 1000, cache });
}

/** What the log tells of a request; never a key. */
function lineOf({ method, url }: FastifyRequest, reply: FastifyReply, status: number): object {
  return { method, url: loggedUrl(url), status, ms: Math.round(reply.elapsedTime), cache: reply.getHeader('x-cache') };
}
