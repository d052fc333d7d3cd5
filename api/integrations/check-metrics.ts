import { Counter, Histogram, type Registry } from 'prom-client';
import { addGauge } from '../server/metrics.ts';
import type { CheckEvent } from './check-service.ts';

export interface CheckMetricsSources {
  /** Checks in progress. */
  readonly inFlight: () => number;
  /** Integrations that are due. */
  readonly due: () => Promise<number>;
}

/** Metrics of integration checks, on a shared registry (specification "Health and metrics"). */
export class CheckMetrics {
  readonly #checks: Counter<'reason'>;
  readonly #seconds: Histogram;
  readonly #changes: Counter<'state'>;
  readonly #troubles: Counter;

  constructor(registry: Registry, { inFlight, due }: CheckMetricsSources) {
    const registers = [registry];
    this.#checks = new Counter({
      name: 'modelstats_integration_checks_total',
      help: 'Scheduled checks of integrations, by result',
      labelNames: ['reason'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'modelstats_integration_check_seconds',
      help: 'Duration of integration checks',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers,
    });
    this.#changes = new Counter({
      name: 'modelstats_integration_changes_total',
      help: 'State changes of integrations by checks, by new state',
      labelNames: ['state'],
      registers,
    });
    this.#troubles = new Counter({
      name: 'modelstats_integration_troubles_total',
      help: 'Checks of integrations that failed because of the service itself',
      registers,
    });
    const underWay = { name: 'modelstats_integration_in_flight', help: 'Checks of integrations in progress' };
    addGauge(registry, underWay, inFlight);
    addGauge(registry, { name: 'modelstats_integration_due', help: 'Integrations whose check is due' }, due);
  }

  onEvent(event: CheckEvent): void {
    switch (event.type) {
      case 'checked':
        this.#checks.inc({ reason: event.evidence.reason });
        this.#seconds.observe(event.evidence.durationMs / 1000);
        if (event.before !== event.after) this.#changes.inc({ state: event.after });
        break;
      case 'put_off':
        this.#troubles.inc();
        break;
      case 'lost':
        break;
    }
  }
}
