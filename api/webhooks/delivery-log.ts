import { AppError } from '../../runtime/errors.ts';
import type { Actor } from '../accounts/actor.ts';
import { type AuditDeps, AuditedChanges } from '../accounts/audit.ts';
import { type Database, dateOrNull, parseEnum, type Transaction } from '../database/tables/tables.ts';
import { assertState, lockEndpoint, readEndpoint } from './endpoints/endpoint.ts';
import { KEPT_DAYS } from './queue/cleanup.ts';
import { type Attempt, DELIVERY_KINDS, DELIVERY_STATES, type DeliveryState } from './queue/delivery.ts';
import { attemptFromRow } from './queue/settle.ts';
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
  /** In their order. */
  readonly allAttempts: readonly Attempt[];
}

interface DeliveryFilter {
  readonly endpointId: string;
  readonly state?: DeliveryState | undefined;
  readonly topic?: string | undefined;
  /** Deliveries older than this one: the next page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** The newest deliveries of an endpoint, newest first. */
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

/** One delivery with all its attempts; undefined where there is none of this id. */
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
    /** When the next attempt may begin; null where there is none to come. */
    nextAttemptAt: state === 'waiting' ? new Date(row.due_at) : null,
    attempts: row.attempts,
    lastAttempt:
      started_at === null || duration_ms === null || outcome === null
        ? null
        : attemptFromRow({ ...row, attempt: row.attempts, started_at, duration_ms, outcome }),
  };
}

/** One delivery as the log shows it. */
export type LoggedDelivery = Readonly<ReturnType<typeof deliveryFromRow>>;
