import { Counter, Histogram, type Registry } from 'prom-client';
import { addGauge } from '../server/metrics.ts';
import type { DispatcherEvent } from './delivery/dispatcher-options.ts';
import type { Backlog } from './queue/delivery.ts';

/** Between two reads of the queue: scrapes may come more often. */
const BACKLOG_CACHE_MS = 15_000;

export interface WebhookMetricsSources {
  readonly inFlight: () => number;
  readonly backlog: (now: Date) => Promise<Backlog>;
  readonly clock: () => Date;
}

/** Metrics of deliveries, on a shared registry (specification "Health and metrics"). */
export class WebhookMetrics {
  readonly #attempts: Counter<'kind' | 'outcome'>;
  readonly #seconds: Histogram;
  readonly #changes: Counter<'state'>;
  readonly #dropped: Counter;
  readonly #troubles: Counter;
  readonly #sources: WebhookMetricsSources;
  #backlog: { readonly atMs: number; readonly read: Promise<Backlog | undefined> } | undefined;

  constructor(registry: Registry, sources: WebhookMetricsSources) {
    this.#sources = sources;
    const registers = [registry];
    this.#attempts = new Counter({
      name: 'modelstats_webhook_attempts_total',
      help: 'Attempts, by kind of delivery and outcome',
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'modelstats_webhook_attempt_seconds',
      help: 'Duration of attempts',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#changes = new Counter({
      name: 'modelstats_webhook_endpoint_changes_total',
      help: 'Endpoints that deliveries made active or revoked',
      labelNames: ['state'],
      registers,
    });
    this.#dropped = new Counter({
      name: 'modelstats_webhook_dropped_total',
      help: 'Deliveries dropped because their endpoint is no longer active',
      registers,
    });
    this.#troubles = new Counter({
      name: 'modelstats_webhook_troubles_total',
      help: 'Failures of the control database that delayed deliveries or their reports',
      registers,
    });
    addGauge(registry, { name: 'modelstats_webhook_in_flight', help: 'Attempts under way' }, sources.inFlight);
    const waiting = { name: 'modelstats_webhook_waiting', help: 'Waiting deliveries, due or not' };
    addGauge(registry, waiting, async () => (await this.#readBacklog())?.waiting);
    const late = 'For how long the longest-due delivery has been due; 0 if none is';
    addGauge(registry, { name: 'modelstats_webhook_oldest_due_seconds', help: late }, async () => {
      const backlog = await this.#readBacklog();
      if (backlog === undefined) return undefined;
      const sinceMs = backlog.oldestDueAt?.getTime() ?? Number.POSITIVE_INFINITY;
      return Math.max(0, sources.clock().getTime() - sinceMs) / 1000;
    });
  }

  onEvent(event: DispatcherEvent): void {
    switch (event.type) {
      case 'attempted':
        this.#attempts.inc({ kind: event.kind, outcome: event.outcome });
        this.#seconds.observe(event.durationMs / 1000);
        break;
      case 'activated':
        this.#changes.inc({ state: 'active' });
        break;
      case 'revoked':
        this.#changes.inc({ state: 'revoked' });
        break;
      case 'dropped':
        this.#dropped.inc(event.deliveries);
        break;
      case 'trouble':
        this.#troubles.inc();
        break;
      case 'put_off':
      case 'recovered':
        break;
    }
  }

  /** Undefined while the database fails: the other metrics are still served. */
  #readBacklog(): Promise<Backlog | undefined> {
    const now = this.#sources.clock();
    if (this.#backlog === undefined || Math.abs(now.getTime() - this.#backlog.atMs) >= BACKLOG_CACHE_MS) {
      const read = this.#sources.backlog(now).catch(() => undefined);
      this.#backlog = { atMs: now.getTime(), read };
    }
    return this.#backlog.read;
  }
}
