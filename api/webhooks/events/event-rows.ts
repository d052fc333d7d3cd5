import { sql } from 'kysely';
import { jsonRows } from '../../database/control-database.ts';
import type { Database } from '../../database/tables/tables.ts';
import type { Topic } from '../topics/topics.ts';
import type { ReceptionStatus } from './subscriptions.ts';

export interface QueuedEvent {
  readonly id: string;
  readonly topic: Topic;
  /** Set if only this endpoint gets it. */
  readonly endpointId: string | null;
  readonly seq: number;
  /** JSON text. */
  readonly data: string;
  readonly deliveries: readonly QueuedDelivery[];
}

interface QueuedDelivery {
  readonly id: string;
  readonly endpointId: string;
}

export interface WrittenEvent extends QueuedEvent {
  readonly deliveries: readonly (QueuedDelivery & { readonly reception: ReceptionStatus })[];
}

interface InsertOptions {
  /** When the release was published. */
  readonly occurredAt: Date;
  readonly now: Date;
}

/**
 * Inserts events, each with a delivery per endpoint: waiting if it receives the event, dropped if it misses it.
 * Existing rows stay.
 */
export async function insertEvents(
  transaction: Database,
  events: readonly WrittenEvent[],
  { occurredAt, now }: InsertOptions,
): Promise<void> {
  if (events.length === 0) return;
  const eventRows = events.map(({ id, topic, endpointId, seq, data }) => [id, topic, endpointId, seq, data]);
  await sql`insert into webhook_events (id, topic, endpoint_id, occurred_at, seq, data)
    select value->>0, value->>1, value->>2, cast(${occurredAt.getTime()} as bigint), cast(value->>3 as bigint), value->>4
    from ${jsonRows(transaction, eventRows)} where true on conflict do nothing`.execute(transaction);
  const deliveryRows = events.flatMap(({ id, deliveries }) =>
    deliveries.map((delivery) => [delivery.id, id, delivery.endpointId, delivery.reception]),
  );
  await sql`insert into webhook_deliveries
      (id, event_id, endpoint_id, kind, state, attempts, due_at, claimed_by, created_at, finished_at)
    select value->>0, value->>1, value->>2, 'event', case value->>3 when 'receives' then 'waiting' else 'dropped' end, 0,
      cast(${now.getTime()} as bigint), null, cast(${now.getTime()} as bigint),
      case value->>3 when 'receives' then null else cast(${now.getTime()} as bigint) end
    from ${jsonRows(transaction, deliveryRows)} where true on conflict do nothing`.execute(transaction);
}

/** An event for those of its endpoints that are still subscribed. */
export function forSubscribed(event: QueuedEvent, receptionOf: ReadonlyMap<string, ReceptionStatus>): WrittenEvent {
  const deliveries = event.deliveries.flatMap((delivery) => {
    const reception = receptionOf.get(delivery.endpointId);
    return reception === undefined ? [] : [{ ...delivery, reception }];
  });
  return { ...event, deliveries };
}

export function hasDeliveries({ deliveries }: WrittenEvent): boolean {
  return deliveries.length > 0;
}
