import type { ClaimedDelivery, Release, Settlement, Turn, TurnResult } from '../queue/delivery-queue.ts';

/** What a turn tells the queue. */
export type Told = Pick<Turn, 'settlements' | 'releases'>;

/** What a dispatcher has still to write down, attempts that ended and claims that it gives back, and what it holds until then. */
export class Reports {
  #settlements: Settlement[] = [];
  #releases: Release[] = [];
  /** Deliveries that are claimed here, until that is written otherwise. */
  readonly #held = new Set<string>();

  get isEmpty(): boolean {
    return this.#settlements.length === 0 && this.#releases.length === 0;
  }

  /** Attempts that ended and are not written down. */
  get ended(): number {
    return this.#settlements.length;
  }

  settle(settlement: Settlement): void {
    this.#settlements.push(settlement);
  }

  /** @param dueAt when somebody may claim it */
  release({ id, attempt }: ClaimedDelivery, dueAt: Date): void {
    this.#releases.push({ delivery: { id, attempt }, dueAt });
  }

  /** The oldest of each kind. */
  next(countMax: number): Told {
    return { settlements: this.#settlements.slice(0, countMax), releases: this.#releases.slice(0, countMax) };
  }

  /** Forgets what a turn has written down; gives the deliveries that it claimed and that were not held here anyway. */
  confirm(told: Told, { unsettled, claimed }: Pick<TurnResult, 'unsettled' | 'claimed'>): readonly ClaimedDelivery[] {
    this.#settlements = [...unsettled, ...this.#settlements.slice(told.settlements.length)];
    this.#releases = this.#releases.slice(told.releases.length);
    for (const { delivery } of [...told.settlements, ...told.releases]) this.#held.delete(delivery.id);
    for (const { delivery } of unsettled) this.#held.add(delivery.id);
    const fresh = claimed.filter(({ id }) => !this.#held.has(id));
    for (const { id } of claimed) this.#held.add(id);
    return fresh;
  }
}
