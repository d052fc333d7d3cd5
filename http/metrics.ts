import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { noSuchRoute } from './errors/error-answer.ts';
import { loggedUrl } from './logged-url.ts';

/** What every server counts, for Prometheus (specification "Health and metrics"). */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: 'modelstats_request_duration_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.registry],
  });
  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  onAnswer(route: string, status: number, seconds: number): void {
    this.#requests.observe({ route, status }, seconds);
  }
}

export interface MetricsOptions {
  /** Whoever sends it as bearer may read; undefined: only callers on this machine. */
  readonly token: string | undefined;
  readonly basePath: string;
  /** How a key of callers begins, in lower case: none gets into the log. */
  readonly keyPrefix: string;
  /** Told of every answer; what it returns stands in the log beside it. */
  readonly onAnswer?: ((reply: FastifyReply) => Readonly<Record<string, unknown>>) | undefined;
}

/** Counts and logs every answer and offers `/metrics`, which isn't for the public. */
export function addMetrics(app: FastifyInstance, metrics: Metrics, options: MetricsOptions): void {
  const { token, basePath, keyPrefix, onAnswer } = options;
  app.addHook('onResponse', (request, reply, done) => {
    metrics.onAnswer(request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1000);
    request.log.info(
      {
        method: request.method,
        url: loggedUrl(request.url, keyPrefix),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        ...onAnswer?.(reply),
      },
      'answered',
    );
    done();
  });
  app.get(`${basePath}/metrics`, async (request, reply) => {
    if (!mayRead(request, token)) throw noSuchRoute();
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

function mayRead({ headers, socket }: FastifyRequest, token: string | undefined): boolean {
  if (token !== undefined) {
    // Digests of the same length, so that the time tells nothing.
    return timingSafeEqual(digestOf(headers.authorization ?? ''), digestOf(`Bearer ${token}`));
  }
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
  return !isForwarded && ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(socket.remoteAddress ?? '');
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
