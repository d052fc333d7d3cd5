import { createHash, timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { type ConnectionSettings, createHttpServer } from './connections/http-server.ts';
import { RequestDurations } from './request-durations.ts';

/** What every server counts, for Prometheus (specification "Health and metrics"). */
export class Metrics {
  readonly registry = new Registry();
  readonly #durations = new RequestDurations(this.registry);

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** An answer, or a request that got none: `ABORTED_STATUS`. */
  onAnswer(route: string, status: number, seconds: number): void {
    this.#durations.observe(route, status, seconds);
  }
}

export interface MetricsAccess {
  /** Whoever sends it as bearer may read; undefined: nobody may on that ground. */
  readonly token: string | undefined;
  /** Whether anybody may read. */
  readonly isOpen: boolean;
}

/** Offers `/metrics` to those who may read them; to others there is no such route, by whatever method they ask. */
export function addMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  access: MetricsAccess & { readonly basePath: string },
) {
  const url = `${access.basePath}/metrics`;
  const isShownTo = ({ headers }: FastifyRequest) => mayRead(headers.authorization, access);
  app.get(url, { config: { isShownTo } }, async (_, reply) => {
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
