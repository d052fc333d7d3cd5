import { Counter, Histogram, type Registry } from 'prom-client';
import { addGauge } from '../server/metrics.ts';
import type { CheckEvent } from './check-service.ts';

export interface CheckMetricsSources {
  /** Checks under way. */
  readonly inFlight: () => number;
  /** Integrations that are due. */
  readonly due: () => Promise<number>;
}

/** What checks of integrations count, on a registry that others share (specification "Health and metrics"). */
export class CheckMetrics {
  readonly #checks: Counter<'reason'>;
  readonly #seconds: Histogram;
  readonly #changes: Counter<'state'>;
  readonly #troubles: Counter;

  constructor(registry: Registry, { inFlight, due }: CheckMetricsSources) {
    const registers = [registry];
    this.#checks = new Counter({
      name: 'modelstats_integration_checks_total',
      help: 'Checks of integrations that were due, by what came of them',
      labelNames: ['reason'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'modelstats_integration_check_seconds',
      help: 'How long checks of integrations took',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers,
    });
    this.#changes = new Counter({
      name: 'modelstats_integration_changes_total',
      help: 'Integrations that checks brought into another state',
      labelNames: ['state'],
      registers,
    });
    this.#troubles = new Counter({
      name: 'modelstats_integration_troubles_total',
      help: 'Checks of integrations that could not be done for a reason of ours',
      registers,
    });
    const underWay = { name: 'modelstats_integration_in_flight', help: 'Checks of integrations under way' };
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
