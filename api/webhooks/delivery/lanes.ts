import type { ClaimedDelivery, Want } from '../queue/delivery-queue.ts';

export interface LaneLimits {
  /** Attempts under way to one endpoint. */
  readonly perEndpointMax: number;
  /** Attempts under way in all. */
  readonly inFlightMax: number;
}

/** What one endpoint has here. */
interface Lane {
  readonly id: string;
  inFlight: number;
  /** Claimed and not begun, the next one first. */
  ready: ClaimedDelivery[];
  /** False once a claim brought less than was asked for: nothing more is due until somebody looks again. */
  mayHaveMore: boolean;
}

/** Claimed and waiting here, as a multiple of what may be under way: enough that no slot waits for a commit, and bounded. */
const READY_FACTOR = 4;
/** Of all slots, and of all that may wait here: kept for endpoints that have less than their share. */
const RESERVED = 1 / 4;

/**
 * What a dispatcher holds, by endpoint. A slot that gets free goes to the endpoint with the fewest attempts under way, so an
 * endpoint with much to do, or a slow one, takes from no other more than its own slots. Where there are so many slow ones that they
 * could hold all slots together, a quarter of them stays for endpoints that have less than half an even share.
 */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #reserved: number;
  readonly #lanes = new Map<string, Lane>();
  #inFlight = 0;
  #ready = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
    // With fewer slots than a few endpoints need, there is nothing to keep.
    this.#reserved = limits.inFlightMax * RESERVED >= limits.perEndpointMax ? RESERVED : 0;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Claimed deliveries that were not begun. */
  get ready(): number {
    return this.#ready;
  }

  /** True where an endpoint has a free slot, nothing claimed for it, and perhaps more that is due. */
  get isHungry(): boolean {
    if (this.#inFlight >= this.#limits.inFlightMax) return false;
    for (const lane of this.#lanes.values())
      if (lane.mayHaveMore && lane.ready.length === 0 && this.#mayBegin(lane)) return true;
    return false;
  }

  /** Endpoints of which something is held. */
  get endpointIds(): readonly string[] {
    return [...this.#lanes.keys()];
  }

  /** Notes that deliveries are due for an endpoint. */
  expect(endpointId: string): void {
    this.#lane(endpointId).mayHaveMore = true;
  }

  /** What to claim next: as much as keeps the slots busy until the turn after, the same for all who want, the emptiest first. */
  wants(): readonly Want[] {
    const target = this.#limits.perEndpointMax * READY_FACTOR;
    const wanting = [...this.#lanes.values()]
      .filter(({ mayHaveMore, ready }) => mayHaveMore && ready.length <= target / 2)
      .sort((one, other) => held(one) - held(other));
    const roomMax = this.#limits.inFlightMax * READY_FACTOR;
    const few = this.#share * READY_FACTOR;
    let spare = roomMax - this.#ready;
    const even = Math.max(1, Math.floor(spare / Math.max(1, wanting.length)));
    return wanting.flatMap((lane) => {
      const open = spare - roomMax * this.#reserved;
      const room = Math.floor(held(lane) < few ? Math.max(open, Math.min(spare, few - held(lane))) : open);
      const count = Math.min(target - lane.ready.length, even, room);
      spare -= Math.max(0, count);
      return count > 0 ? [{ endpointId: lane.id, count }] : [];
    });
  }

  /** Takes in what was claimed for these wants. */
  add(wants: readonly Want[], claimed: readonly ClaimedDelivery[]): void {
    const byEndpoint = Map.groupBy(claimed, ({ endpointId }) => endpointId);
    for (const { endpointId, count } of wants) {
      const deliveries = byEndpoint.get(endpointId) ?? [];
      const lane = this.#lane(endpointId);
      lane.ready.push(...deliveries);
      lane.mayHaveMore = deliveries.length >= count;
      this.#ready += deliveries.length;
      this.#forgetEmpty(lane);
    }
  }

  /** The next delivery to begin, which is then under way; undefined where none may. */
  take(): ClaimedDelivery | undefined {
    if (this.#ready === 0 || this.#inFlight >= this.#limits.inFlightMax) return undefined;
    let best: Lane | undefined;
    for (const lane of this.#lanes.values()) {
      if (lane.ready.length === 0 || !this.#mayBegin(lane)) continue;
      if (best === undefined || lane.inFlight < best.inFlight) best = lane;
    }
    const delivery = best?.ready.shift();
    if (best === undefined || delivery === undefined) return undefined;
    best.inFlight += 1;
    this.#inFlight += 1;
    this.#ready -= 1;
    return delivery;
  }

  /** Frees the slot of a delivery that was taken. */
  free(endpointId: string): void {
    const lane = this.#lane(endpointId);
    lane.inFlight -= 1;
    this.#inFlight -= 1;
    this.#forgetEmpty(lane);
  }

  /** Takes out what was not begun and is to be given back. */
  remove(isToGo: (delivery: ClaimedDelivery) => boolean): readonly ClaimedDelivery[] {
    const removed: ClaimedDelivery[] = [];
    for (const lane of this.#lanes.values()) {
      const going = lane.ready.filter(isToGo);
      if (going.length === 0) continue;
      removed.push(...going);
      lane.ready = lane.ready.filter((delivery) => !going.includes(delivery));
      this.#ready -= going.length;
      this.#forgetEmpty(lane);
    }
    return removed;
  }

  /** Takes out all that was not begun for an endpoint; more is claimed once it is expected again. */
  empty(endpointId: string): readonly ClaimedDelivery[] {
    this.#lane(endpointId).mayHaveMore = false;
    return this.remove((delivery) => delivery.endpointId === endpointId);
  }

  /** Slots that an endpoint has whatever the others do, while there are fewer endpoints than slots. */
  get #share(): number {
    return Math.max(1, Math.floor(this.#limits.inFlightMax / 2 / Math.max(1, this.#lanes.size)));
  }

  #mayBegin({ inFlight }: Lane): boolean {
    const { perEndpointMax, inFlightMax } = this.#limits;
    if (inFlight >= perEndpointMax || this.#inFlight >= inFlightMax) return false;
    return inFlight < this.#share || this.#inFlight < inFlightMax * (1 - this.#reserved);
  }

  #lane(id: string): Lane {
    const known = this.#lanes.get(id);
    if (known !== undefined) return known;
    const lane: Lane = { id, inFlight: 0, ready: [], mayHaveMore: false };
    this.#lanes.set(id, lane);
    return lane;
  }

  #forgetEmpty(lane: Lane): void {
    if (held(lane) === 0 && !lane.mayHaveMore) this.#lanes.delete(lane.id);
  }
}

function held({ inFlight, ready }: Lane): number {
  return inFlight + ready.length;
}
