import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { notFound } from './errors/api-error.ts';

/** An attempt to serve a newer release, as far as it is counted. */
export type ReleaseEvent =
  | { readonly type: 'swapped'; readonly day: string; readonly durationMs: number }
  | { readonly type: 'failed' | 'damaged' };

/** What the service counts, for Prometheus (specification "Health and metrics"). */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: 'modelstats_request_duration_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.registry],
  });
  readonly #cache = new Counter({
    name: 'modelstats_cache_answers_total',
    help: 'Data answers, by X-Cache',
    labelNames: ['result'],
    registers: [this.registry],
  });
  readonly #builds = new Counter({
    name: 'modelstats_view_builds_total',
    help: 'Attempts to follow the catalog that swapped the view or failed',
    labelNames: ['result'],
    registers: [this.registry],
  });
  readonly #buildSeconds = new Gauge({
    name: 'modelstats_view_build_seconds',
    help: 'How long the last view took to build',
    registers: [this.registry],
  });
  readonly #releaseDay = new Gauge({
    name: 'modelstats_view_release_day_timestamp_seconds',
    help: 'Midnight UTC of the day that is served',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  onReleaseEvent(event: ReleaseEvent): void {
    this.#builds.inc({ result: event.type });
    if (event.type !== 'swapped') return;
    this.#buildSeconds.set(event.durationMs / 1000);
    this.#releaseDay.set(Date.parse(`${event.day}T00:00:00Z`) / 1000);
  }

  /** An answer, or a request that got none: {@link ABORTED_STATUS}. */
  onAnswer(
    route: string,
    status: number,
    { seconds, cache }: { readonly seconds: number; readonly cache: unknown },
  ): void {
    this.#requests.observe({ route, status }, seconds);
    if (typeof cache === 'string') this.#cache.inc({ result: cache });
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
    if (!mayRead(request, token)) throw notFound(null, 'There is no such route');
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
