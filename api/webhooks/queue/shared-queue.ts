import type { Kysely } from 'kysely';
import { orUnavailable } from '../../database/database-errors.ts';
import type { ControlTables } from '../../database/tables/tables.ts';
import type { Backlog, DeliveryReport, Target, WaitingEndpoint } from './delivery-queue.ts';
import { drop, findDelivery, findTarget, findWaiting, readBacklog } from './waiting.ts';

/** What a queue does in the same way on both databases. All methods reject with `unavailable`. */
export class SharedQueue {
  readonly #database: Kysely<ControlTables>;

  constructor(database: Kysely<ControlTables>) {
    this.#database = database;
  }

  findWaiting(): Promise<readonly WaitingEndpoint[]> {
    return orUnavailable(() => findWaiting(this.#database));
  }

  drop(endpoint: Pick<Target, 'id' | 'state'>, now: Date): Promise<number> {
    return orUnavailable(() => drop(this.#database, endpoint, now));
  }

  find(deliveryId: string): Promise<DeliveryReport | undefined> {
    return orUnavailable(() => findDelivery(this.#database, deliveryId));
  }

  findTarget(endpointId: string): Promise<Target | undefined> {
    return orUnavailable(() => findTarget(this.#database, endpointId));
  }

  backlog(now: Date): Promise<Backlog> {
    return orUnavailable(() => readBacklog(this.#database, now));
  }
}
