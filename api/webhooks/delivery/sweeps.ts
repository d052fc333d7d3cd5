import type { DeliveryQueue, Target } from '../queue/delivery-queue.ts';
import type { DispatcherDeps } from './dispatcher-options.ts';

/** Drops what endpoints must not be sent any more, some rows at a time, beside the turns of a dispatcher. */
export class Sweeps {
  readonly #queue: DeliveryQueue;
  readonly #deps: Pick<DispatcherDeps, 'clock' | 'onEvent'>;
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(queue: DeliveryQueue, deps: Pick<DispatcherDeps, 'clock' | 'onEvent'>) {
    this.#queue = queue;
    this.#deps = deps;
  }

  /** True while something of the endpoint is being dropped. */
  has(endpointId: string): boolean {
    return this.#underWay.has(endpointId);
  }

  begin(endpoint: Pick<Target, 'id' | 'state'>): void {
    if (this.has(endpoint.id)) return;
    this.#underWay.set(
      endpoint.id,
      this.#sweep(endpoint).finally(() => this.#underWay.delete(endpoint.id)),
    );
  }

  async idle(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #sweep(endpoint: Pick<Target, 'id' | 'state'>): Promise<void> {
    try {
      const deliveries = await this.#queue.drop(endpoint, this.#deps.clock());
      if (deliveries > 0) this.#deps.onEvent({ type: 'dropped', endpointId: endpoint.id, deliveries });
    } catch (error) {
      this.#deps.onEvent({ type: 'trouble', error, retryMs: 0 }); // The next look finds it again.
    }
  }
}
