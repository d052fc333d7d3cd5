import { createHash, timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type ConnectionSettings, createHttpServer } from './connections/http-server.ts';
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

export interface MetricsAccess {
  /** Whoever sends it as bearer may read; undefined: nobody may on that ground. */
  readonly token: string | undefined;
  /** Whether anybody may read. */
  readonly isOpen: boolean;
}

/** Offers `/metrics` to those who may read them; to others there is no such route. */
export function addMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  access: MetricsAccess & { readonly basePath: string },
) {
  app.get(`${access.basePath}/metrics`, async ({ headers }, reply) => {
    if (!mayRead(headers.authorization, access)) throw notFound(null, 'There is no such route');
    reply.header('Cache-Control', 'no-store').type(metrics.registry.contentType);
    return reply.send(await metrics.registry.metrics());
  });
}

/**
 * A server of its own for `/metrics`, for a port that only those who may read can reach; where a token is set it is asked for
 * here too. It never listens.
 */
export function createMetricsServer(
  metrics: Metrics,
  { token, connections }: Pick<MetricsAccess, 'token'> & { readonly connections: ConnectionSettings },
): Server {
  const access = { token, isOpen: token === undefined };
  return createHttpServer((request, response) => {
    const isMetrics = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
    if (!isMetrics || !mayRead(request.headers.authorization, access)) response.writeHead(404).end();
    else
      metrics.registry.metrics().then(
        (text) => response.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
  }, connections);
}

/** Digests of the same length are compared, so that the time tells nothing. */
function mayRead(authorization: string | undefined, { token, isOpen }: MetricsAccess): boolean {
  if (isOpen) return true;
  return token !== undefined && timingSafeEqual(digestOf(authorization ?? ''), digestOf(`Bearer ${token}`));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
