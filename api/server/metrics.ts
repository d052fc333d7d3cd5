import { createHash, timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, type Histogram, Registry } from 'prom-client';
import { createHttpServer } from './connections.ts';
import type { ConnectionSettings } from './settings.ts';

/** Metrics of every server, for Prometheus (specification "Health and metrics"). */
export class Metrics {
  readonly registry = new Registry();
  readonly #durations = new RequestDurations(this.registry);

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** A response, or a request without one: `ABORTED_STATUS`. */
  onResponse(route: string, status: number, seconds: number): void {
    this.#durations.observe(route, status, seconds);
  }
}

export interface MetricsAccess {
  /** Bearer token; undefined: none is accepted. */
  readonly token: string | undefined;
  /** Whether everyone may read. */
  readonly isOpen: boolean;
}

/** For clients without access the route doesn't exist, whatever the method. */
export function addMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  access: MetricsAccess & { readonly basePath: string },
) {
  const url = `${access.basePath}/metrics`;
  const isVisibleTo = ({ headers }: FastifyRequest) => mayRead(headers.authorization, access);
  app.get(url, { config: { isVisibleTo } }, async (_, reply) => {
    reply.header('Cache-Control', 'no-store').type(metrics.registry.contentType);
    return reply.send(await metrics.registry.metrics());
  });
}

/** On a port that only authorized clients can reach; a token is checked here too. The caller must listen. */
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

/** Compares digests of equal length, so timing reveals nothing. */
function mayRead(authorization: string | undefined, { token, isOpen }: MetricsAccess): boolean {
  if (isOpen) return true;
  return token !== undefined && timingSafeEqual(digestOf(authorization ?? ''), digestOf(`Bearer ${token}`));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const NAME = 'modelstats_request_duration_seconds';
const HELP = 'Response time, by route and status';
/** Upper bounds, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const;

interface Tally {
  readonly route: string;
  readonly status: number;
  /** Per bucket, not cumulative. */
  readonly counts: Float64Array;
  count: number;
  sumSeconds: number;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * Histogram of response times. prom-client validates and sorts labels on every observation, which takes longer than
 * finding a cached response; here labels are built when metrics are read.
 */
export class RequestDurations {
  readonly #tallies = new Map<string, Map<number, Tally>>();

  constructor(registry: Registry) {
    const metric = { name: NAME, help: HELP, type: 'histogram', get: async () => this.#read() };
    // Has what the registry needs; its types only allow prom-client's classes.
    registry.registerMetric(metric as unknown as Histogram);
  }

  observe(route: string, status: number, seconds: number): void {
    const tally = this.#tallies.get(route)?.get(status) ?? this.#add(route, status);
    const place = BOUNDS.findIndex((bound) => seconds <= bound);
    if (place !== -1) tally.counts[place] = (tally.counts[place] ?? 0) + 1;
    tally.count += 1;
    tally.sumSeconds += seconds;
  }

  #add(route: string, status: number): Tally {
    const tally = { route, status, counts: new Float64Array(BOUNDS.length), count: 0, sumSeconds: 0 };
    const ofRoute = this.#tallies.get(route) ?? new Map<number, Tally>();
    ofRoute.set(status, tally);
    this.#tallies.set(route, ofRoute);
    return tally;
  }

  #read() {
    const all = [...this.#tallies.values()].flatMap((ofRoute) => [...ofRoute.values()]);
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values: all.flatMap(samplesOf) };
  }
}

function samplesOf({ route, status, counts, count, sumSeconds }: Tally): readonly Sample[] {
  const labels = { route, status };
  let below = 0;
  const buckets = BOUNDS.map((le, place) => {
    below += counts[place] ?? 0;
    return { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${NAME}_sum`, labels, value: sumSeconds },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
}

/** For `/health/ready`. */
export interface Readiness {
  readonly isReady: boolean;
  /** As JSON. */
  readonly body: object;
  /** If not ready. */
  readonly retryAfterSeconds?: number;
}

/** `/health/live`: the process responds. `/health/ready`: it can serve, or 503 (specification "Health and metrics"). */
export function addHealth(app: FastifyInstance, readiness: () => Readiness): void {
  app.get('/health/live', async (_, reply) => reply.header('Cache-Control', 'no-store').send({ status: 'live' }));
  app.get('/health/ready', async (_, reply) => {
    const { isReady, body, retryAfterSeconds } = readiness();
    if (retryAfterSeconds !== undefined) reply.header('Retry-After', retryAfterSeconds);
    return reply
      .code(isReady ? 200 : 503)
      .header('Cache-Control', 'no-store')
      .send(body);
  });
}

/** Adds a gauge computed when metrics are read; if that fails it has no value and the others are still reported. */
export function addGauge(
  registry: Registry,
  { name, help }: { readonly name: string; readonly help: string },
  read: () => number | undefined | Promise<number | undefined>,
): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: async () => {
      const value = await Promise.resolve()
        .then(read)
        .catch(() => undefined);
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    },
  });
}
