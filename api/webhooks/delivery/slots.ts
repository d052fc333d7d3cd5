import type { ClaimedDelivery, Demand } from '../queue/delivery.ts';

export interface SlotLimits {
  /** Concurrent attempts to one endpoint. */
  readonly perEndpointMax: number;
  /** Concurrent attempts in all. */
  readonly inFlightMax: number;
}

interface Endpoint {
  readonly id: string;
  inFlight: number;
  /** Claimed and not begun, next first. */
  ready: readonly ClaimedDelivery[];
  /** False after a claim brought less than requested, until the next poll. */
  isDue: boolean;
}

/** Claimed ahead, as a multiple of slots, so that none waits for a commit. */
const READY_FACTOR = 4;
/** Share of slots reserved for endpoints below their share. */
const RESERVED = 1 / 4;

/**
 * Deliveries of a dispatcher by endpoint. A free slot goes to the endpoint with the fewest attempts under way, so a
 * slow one takes only its own slots. If many are slow, a quarter of all slots stays for endpoints with less than half
 * an even share.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #endpoints = new Map<string, Endpoint>();
  #inFlight = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  expect(endpointId: string): void {
    this.#endpoint(endpointId).isDue = true;
  }

  /** Enough to keep the slots busy until the next claim. */
  demands(): readonly Demand[] {
    // An even share of all that may be claimed ahead.
    const room = Math.floor((this.#limits.inFlightMax * READY_FACTOR) / Math.max(1, this.#endpoints.size));
    const readyMax = Math.max(1, Math.min(this.#limits.perEndpointMax * READY_FACTOR, room));
    return [...this.#endpoints.values()]
      .filter(({ isDue, ready }) => isDue && ready.length <= readyMax / 2)
      .map(({ id, ready }) => ({ endpointId: id, count: readyMax - ready.length }));
  }

  add(demands: readonly Demand[], claimed: readonly ClaimedDelivery[]): void {
    const byEndpoint = Map.groupBy(claimed, ({ endpointId }) => endpointId);
    for (const { endpointId, count } of demands) {
      const deliveries = byEndpoint.get(endpointId) ?? [];
      const endpoint = this.#endpoint(endpointId);
      endpoint.ready = [...endpoint.ready, ...deliveries];
      endpoint.isDue = deliveries.length >= count;
      this.#forgetEmpty(endpoint);
    }
  }

  /** The next delivery to attempt; undefined if none may begin. */
  take(): ClaimedDelivery | undefined {
    let best: Endpoint | undefined;
    for (const endpoint of this.#endpoints.values()) {
      if (endpoint.ready.length === 0 || !this.#mayBegin(endpoint)) continue;
      if (best === undefined || endpoint.inFlight < best.inFlight) best = endpoint;
    }
    const [delivery, ...others] = best?.ready ?? [];
    if (best === undefined || delivery === undefined) return undefined;
    best.ready = others;
    best.inFlight += 1;
    this.#inFlight += 1;
    return delivery;
  }

  free(endpointId: string): void {
    const endpoint = this.#endpoint(endpointId);
    endpoint.inFlight -= 1;
    this.#inFlight -= 1;
    this.#forgetEmpty(endpoint);
  }

  /** Removes deliveries that were not begun; {@link expect} has them claimed again. */
  empty(endpointId?: string): readonly ClaimedDelivery[] {
    const emptied = [...this.#endpoints.values()].filter(({ id }) => endpointId === undefined || id === endpointId);
    return emptied.flatMap((endpoint) => {
      const { ready } = endpoint;
      endpoint.ready = [];
      endpoint.isDue = false;
      this.#forgetEmpty(endpoint);
      return ready;
    });
  }

  #mayBegin({ inFlight }: Endpoint): boolean {
    const { perEndpointMax, inFlightMax } = this.#limits;
    if (inFlight >= perEndpointMax || this.#inFlight >= inFlightMax) return false;
    const share = Math.max(1, Math.floor(inFlightMax / 2 / Math.max(1, this.#endpoints.size)));
    // With fewer slots than a few endpoints need, nothing is reserved.
    const reserved = inFlightMax * RESERVED >= perEndpointMax ? inFlightMax * RESERVED : 0;
    return inFlight < share || this.#inFlight < inFlightMax - reserved;
  }

  #endpoint(id: string): Endpoint {
    const known = this.#endpoints.get(id);
    if (known !== undefined) return known;
    const endpoint: Endpoint = { id, inFlight: 0, ready: [], isDue: false };
    this.#endpoints.set(id, endpoint);
    return endpoint;
  }

  #forgetEmpty({ id, inFlight, ready, isDue }: Endpoint): void {
    if (inFlight + ready.length === 0 && !isDue) this.#endpoints.delete(id);
  }
}
