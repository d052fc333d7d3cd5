import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { noSuchRoute } from './errors/error-answer.ts';

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

  /** An answer, or a request that got none: `ABORTED_STATUS`. */
  onAnswer(route: string, status: number, seconds: number): void {
    this.#requests.observe({ route, status }, seconds);
  }
}

export interface MetricsOptions {
  /** Whoever sends it as bearer may read; undefined: only callers on this machine. */
  readonly token: string | undefined;
  readonly basePath: string;
}

/** Offers `/metrics`, which isn't for the public. */
export function addMetrics(app: FastifyInstance, metrics: Metrics, { token, basePath }: MetricsOptions): void {
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
