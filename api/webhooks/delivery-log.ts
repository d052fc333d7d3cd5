import { AppError } from '../../runtime/errors.ts';
import type { Actor } from '../accounts/actor.ts';
import { type AuditDeps, AuditedChanges } from '../accounts/audit.ts';
import { type Database, dateOrNull, parseEnum, type Transaction } from '../database/tables/tables.ts';
import { assertState, lockEndpoint, readEndpoint } from './endpoints/endpoint.ts';
import { RETENTION_DAYS } from './queue/cleanup.ts';
import { type Attempt, DELIVERY_KINDS, DELIVERY_STATES, type DeliveryState } from './queue/delivery.ts';
import { attemptFromRow } from './queue/settle.ts';
import { findUndelivered, getReplayable, queueReplays, REPLAYS_MAX } from './replay.ts';

export interface Replayed {
  readonly deliveryIds: readonly string[];
  /** Whether more events qualify than one call replays. */
  readonly hasMore: boolean;
}

/**
 * Deliveries of the last 30 days, and their replay (specification "Redelivery"). Rejects with `not_found`,
 * `unavailable`, and `usage` if the endpoint is not active.
 */
export class DeliveryLog {
  readonly #deps: AuditDeps;
  readonly #changes: AuditedChanges;

  constructor(deps: AuditDeps, actor: Actor) {
    this.#deps = deps;
    this.#changes = new AuditedChanges(deps, actor);
  }

  /** Newest first. */
  list(filter: DeliveryFilter): Promise<readonly LoggedDelivery[]> {
    return this.#changes.read(async (database) => {
      await readEndpoint(database, filter.endpointId);
      return listDeliveries(database, filter);
    });
  }

  async get(id: string): Promise<LoggedDeliveryWithAttempts> {
    const delivery = await this.#changes.read((database) => findDelivery(database, id));
    if (delivery !== undefined) return delivery;
    throw new AppError('not_found', `there is no delivery ${id}; deliveries are stored for ${RETENTION_DAYS} days`);
  }

  /** Replays one event, named by its id or a delivery's. */
  replay(endpointId: string, id: string): Promise<Replayed> {
    return this.#replay(endpointId, async (transaction, now) => [
      await getReplayable(transaction, endpointId, { id, now }),
    ]);
  }

  /** Replays events with a delivery that failed or was dropped since then, and none that waits or was delivered. */
  replayFailed(endpointId: string, since: Date): Promise<Replayed> {
    return this.#replay(endpointId, (transaction, now) => findUndelivered(transaction, endpointId, { since, now }));
  }

  #replay(
    endpointId: string,
    find: (transaction: Transaction, now: Date) => Promise<readonly string[]>,
  ): Promise<Replayed> {
    return this.#changes.change(async (transaction, note) => {
      const now = this.#deps.clock();
      const endpoint = await lockEndpoint(transaction, endpointId);
      assertState(endpoint, ['active']);
      const found = await find(transaction, now);
      const eventIds = found.slice(0, REPLAYS_MAX);
      const deliveryIds = await queueReplays(transaction, endpointId, { eventIds, now });
      const details = { events: eventIds.length };
      const { organizationId } = endpoint;
      await note({ organizationId, action: 'webhook.replay', subjectId: endpointId, details });
      return { deliveryIds, hasMore: found.length > eventIds.length };
    });
  }
}

export interface LoggedDeliveryWithAttempts extends LoggedDelivery {
  /** Oldest first. */
  readonly allAttempts: readonly Attempt[];
}

interface DeliveryFilter {
  readonly endpointId: string;
  readonly state?: DeliveryState | undefined;
  readonly topic?: string | undefined;
  /** Only deliveries older than this one, for paging. */
  readonly before?: string | undefined;
  readonly limit: number;
}

async function listDeliveries(
  database: Database,
  { endpointId, state, topic, before, limit }: DeliveryFilter,
): Promise<readonly LoggedDelivery[]> {
  const rows = await selectDeliveries(database)
    .where('d.endpoint_id', '=', endpointId)
    .$if(state !== undefined, (query) => query.where('d.state', '=', state ?? ''))
    .$if(topic !== undefined, (query) => query.where('e.topic', '=', topic ?? ''))
    .$if(before !== undefined, (query) => query.where('d.id', '<', before ?? ''))
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(deliveryFromRow);
}

async function findDelivery(database: Database, id: string): Promise<LoggedDeliveryWithAttempts | undefined> {
  const row = await selectDeliveries(database).where('d.id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  const attempts = await database
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', id)
    .orderBy('attempt')
    .execute();
  return { ...deliveryFromRow(row), allAttempts: attempts.map(attemptFromRow) };
}

/** One row per delivery, with its event and its last attempt. */
function selectDeliveries(database: Database) {
  return database
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_events as e', 'e.id', 'd.event_id')
    .leftJoin('webhook_attempts as a', (join) =>
      join.onRef('a.delivery_id', '=', 'd.id').onRef('a.attempt', '=', 'd.attempts'),
    )
    .select(['d.id', 'd.event_id', 'd.endpoint_id', 'd.kind', 'd.state', 'd.attempts', 'd.due_at'])
    .select(['d.created_at', 'd.finished_at', 'e.topic', 'e.seq'])
    .select(['a.started_at', 'a.duration_ms', 'a.outcome', 'a.status', 'a.message', 'a.answer']);
}

type DeliveryWithEvent = Awaited<ReturnType<ReturnType<typeof selectDeliveries>['executeTakeFirstOrThrow']>>;

function deliveryFromRow(row: DeliveryWithEvent) {
  const { started_at, duration_ms, outcome } = row;
  const state = parseEnum(DELIVERY_STATES, row.state);
  return {
    id: row.id,
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    topic: row.topic,
    kind: parseEnum(DELIVERY_KINDS, row.kind),
    state,
    seq: row.seq,
    createdAt: new Date(row.created_at),
    finishedAt: dateOrNull(row.finished_at),
    /** When the next attempt may begin; null if there is none. */
    nextAttemptAt: state === 'waiting' ? new Date(row.due_at) : null,
    attempts: row.attempts,
    lastAttempt:
      started_at === null || duration_ms === null || outcome === null
        ? null
        : attemptFromRow({ ...row, attempt: row.attempts, started_at, duration_ms, outcome }),
  };
}

export type LoggedDelivery = Readonly<ReturnType<typeof deliveryFromRow>>;
