import { Counter, type Registry } from 'prom-client';
import { addGauge } from '../server/metrics.ts';
import type { DigestEvent } from './digest-service.ts';

/** Metrics of digests by email, on a shared registry (specification "Health and metrics"). */
export class DigestMetrics {
  readonly #digests: Counter<'result'>;

  constructor(registry: Registry, { due }: { readonly due: () => Promise<number> }) {
    this.#digests = new Counter({
      name: 'modelstats_email_digests_total',
      help: 'Digests by email that were due, by result',
      labelNames: ['result'],
      registers: [registry],
    });
    addGauge(registry, { name: 'modelstats_email_digests_due', help: 'Digests by email that are due' }, due);
  }

  onEvent({ result }: DigestEvent): void {
    this.#digests.inc({ result });
  }
}
