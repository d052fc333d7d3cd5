import type { Transaction } from 'kysely';
import { AppError } from '../../../runtime/errors.ts';
import type { Actor } from '../../accounts/actor.ts';
import { type AuditDeps, AuditedChanges } from '../../accounts/audit.ts';
import type { ControlTables } from '../../database/tables/tables.ts';
import { assertState, lockEndpoint, readEndpoint } from '../endpoints/read-endpoint.ts';
import { KEPT_DAYS } from '../queue/cleanup.ts';
import {
  type DeliveryFilter,
  findDelivery,
  type LoggedDelivery,
  type LoggedDeliveryWithAttempts,
  listDeliveries,
} from './deliveries.ts';
import { findUndelivered, getReplayable, queueReplays, REPLAYS_MAX } from './replay.ts';

/** What a replay has queued. */
export interface Replayed {
  readonly deliveryIds: readonly string[];
  /** Whether there are more than one call replays. */
  readonly hasMore: boolean;
}

/**
 * What was sent to endpoints in the last 30 days, and sending it again (specification "Redelivery"). Rejects with `not_found` for what
 * isn't there, with `usage` where an endpoint is not active, and with `unavailable`.
 */
export class DeliveryLog {
  readonly #deps: AuditDeps;
  readonly #changes: AuditedChanges;

  constructor(deps: AuditDeps, actor: Actor) {
    this.#deps = deps;
    this.#changes = new AuditedChanges(deps, actor);
  }

  /** The deliveries of an endpoint, newest first. */
  list(filter: DeliveryFilter): Promise<readonly LoggedDelivery[]> {
    return this.#changes.read(async (database) => {
      await readEndpoint(database, filter.endpointId);
      return listDeliveries(database, filter);
    });
  }

  /** One delivery with all its attempts. */
  async get(id: string): Promise<LoggedDeliveryWithAttempts> {
    const delivery = await this.#changes.read((database) => findDelivery(database, id));
    if (delivery !== undefined) return delivery;
    throw new AppError('not_found', `there is no delivery ${id}; they are kept for ${KEPT_DAYS} days`);
  }

  /** Sends one event again, named by its id or that of a delivery, as a delivery of its own. */
  replay(endpointId: string, id: string): Promise<Replayed> {
    return this.#replay(endpointId, async (transaction, now) => [
      await getReplayable(transaction, endpointId, { id, now }),
    ]);
  }

  /** Sends all events again of which a delivery failed or was dropped since then, and none has arrived or is on its way. */
  replayFailed(endpointId: string, since: Date): Promise<Replayed> {
    return this.#replay(endpointId, (transaction, now) => findUndelivered(transaction, endpointId, { since, now }));
  }

  #replay(
    endpointId: string,
    find: (transaction: Transaction<ControlTables>, now: Date) => Promise<readonly string[]>,
  ): Promise<Replayed> {
    return this.#changes.change(async (transaction, note) => {
      const now = this.#deps.clock();
      const endpoint = await lockEndpoint(transaction, endpointId);
      assertState(endpoint, ['active']);
      const found = await find(transaction, now);
      const eventIds = found.slice(0, REPLAYS_MAX);
      const deliveryIds = await queueReplays(transaction, endpointId, { eventIds, newId: this.#deps.newId, now });
      const details = { events: eventIds.length };
      const { organizationId } = endpoint;
      await note({ organizationId, action: 'webhook.replay', subjectId: endpointId, details });
      return { deliveryIds, hasMore: found.length > eventIds.length };
    });
  }
}
