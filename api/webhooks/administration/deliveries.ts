import type { Kysely } from 'kysely';
import { type ControlTables, getWord } from '../../database/tables/tables.ts';
import {
  type Attempt,
  DELIVERY_KINDS,
  DELIVERY_STATES,
  type DeliveryKind,
  type DeliveryState,
} from '../queue/delivery.ts';
import { attemptFromRow } from '../queue/settle.ts';

/** One delivery as the log shows it. */
export interface LoggedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly topic: string;
  readonly kind: DeliveryKind;
  readonly state: DeliveryState;
  readonly seq: number | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  /** When the next attempt may begin; null where there is none to come. */
  readonly nextAttemptAt: Date | null;
  readonly attempts: number;
  readonly lastAttempt: Attempt | null;
}

export interface LoggedDeliveryWithAttempts extends LoggedDelivery {
  /** In their order. */
  readonly allAttempts: readonly Attempt[];
}

export interface DeliveryFilter {
  readonly endpointId: string;
  readonly state?: DeliveryState | undefined;
  readonly topic?: string | undefined;
  /** Deliveries older than this one: the next page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** The newest deliveries of an endpoint, newest first. */
export async function listDeliveries(
  database: Kysely<ControlTables>,
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
export async function findDelivery(
  database: Kysely<ControlTables>,
  id: string,
): Promise<LoggedDeliveryWithAttempts | undefined> {
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
function selectDeliveries(database: Kysely<ControlTables>) {
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

function deliveryFromRow(row: DeliveryWithEvent): LoggedDelivery {
  const { started_at, duration_ms, outcome } = row;
  const state = getWord(DELIVERY_STATES, row.state);
  return {
    id: row.id,
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    topic: row.topic,
    kind: getWord(DELIVERY_KINDS, row.kind),
    state,
    seq: row.seq,
    createdAt: new Date(row.created_at),
    finishedAt: row.finished_at === null ? null : new Date(row.finished_at),
    nextAttemptAt: state === 'waiting' ? new Date(row.due_at) : null,
    attempts: row.attempts,
    lastAttempt:
      started_at === null || duration_ms === null || outcome === null
        ? null
        : attemptFromRow({ ...row, attempt: row.attempts, started_at, duration_ms, outcome }),
  };
}
