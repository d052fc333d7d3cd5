import type { ClaimedDelivery, Demand } from '../queue/delivery.ts';

export interface SlotLimits {
  /** Attempts under way to one endpoint. */
  readonly perEndpointMax: number;
  /** Attempts under way in all. */
  readonly inFlightMax: number;
}

/** What one endpoint has here. */
interface Endpoint {
  readonly id: string;
  inFlight: number;
  /** Claimed and not begun, the next one first. */
  ready: readonly ClaimedDelivery[];
  /** False once a claim brought less than was asked for: nothing more is due until the next poll finds some. */
  isDue: boolean;
}

/** Claimed ahead, as a multiple of what may be under way: enough that no slot waits for a commit, and bounded. */
const READY_FACTOR = 4;
/** Of all slots: reserved for endpoints that have less than their share. */
const RESERVED = 1 / 4;

/**
 * What a dispatcher holds, by endpoint. A slot that gets free goes to the endpoint with the fewest attempts under way, so an
 * endpoint with much to do, or a slow one, takes from no other more than its own slots. Where there are so many slow ones that they
 * could hold all slots together, a quarter of them stays for endpoints that have less than half an even share.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #endpoints = new Map<string, Endpoint>();
  #inFlight = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Attempts under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Notes that deliveries are due for an endpoint. */
  expect(endpointId: string): void {
    this.#endpoint(endpointId).isDue = true;
  }

  /** What to claim next: as much as keeps the slots busy until the claim after. */
  demands(): readonly Demand[] {
    // An even part of what may be claimed ahead in all.
    const room = Math.floor((this.#limits.inFlightMax * READY_FACTOR) / Math.max(1, this.#endpoints.size));
    const readyMax = Math.max(1, Math.min(this.#limits.perEndpointMax * READY_FACTOR, room));
    return [...this.#endpoints.values()]
      .filter(({ isDue, ready }) => isDue && ready.length <= readyMax / 2)
      .map(({ id, ready }) => ({ endpointId: id, count: readyMax - ready.length }));
  }

  /** Takes in what was claimed for these demands. */
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

  /** The next delivery to begin, which is then under way; undefined where none may. */
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

  /** Frees the slot of a delivery that was taken. */
  free(endpointId: string): void {
    const endpoint = this.#endpoint(endpointId);
    endpoint.inFlight -= 1;
    this.#inFlight -= 1;
    this.#forgetEmpty(endpoint);
  }

  /** Takes out what was not begun for an endpoint, or for all; more is claimed once it is expected again. */
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
    // With fewer slots than a few endpoints need, there is nothing to reserve.
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
