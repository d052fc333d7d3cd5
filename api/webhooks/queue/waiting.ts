import { type Kysely, sql } from 'kysely';
import { type ControlTables, getWord } from '../../database/tables/tables.ts';
import { ENDPOINT_STATES } from '../endpoints/endpoint.ts';
import { dropLeftovers, dropWaiting } from '../endpoints/transitions.ts';
import { PING } from '../topic.ts';
import {
  type Backlog,
  DELIVERY_KINDS,
  DELIVERY_STATES,
  type DeliveryReport,
  type Target,
  type WaitingEndpoint,
} from './delivery-queue.ts';
import { attemptFromRow, targetFromRow } from './queue-rows.ts';

/**
 * One row per endpoint for which deliveries wait: it jumps from one endpoint to the next in the index of what waits, so it
 * costs as many steps as there are endpoints, however many deliveries.
 */
const WAITING_ENDPOINTS = sql<{ endpoint_id: string; due_at: number }>`
  with recursive waiting (endpoint_id) as (
    select (select endpoint_id from webhook_deliveries where state = 'waiting' order by endpoint_id limit 1)
    union all
    select (select d.endpoint_id from webhook_deliveries d
            where d.state = 'waiting' and d.endpoint_id > w.endpoint_id order by d.endpoint_id limit 1)
    from waiting w where w.endpoint_id is not null
  )
  select w.endpoint_id, (select d.due_at from webhook_deliveries d
                         where d.state = 'waiting' and d.endpoint_id = w.endpoint_id order by d.due_at limit 1) as due_at
  from waiting w where w.endpoint_id is not null`;

/** All endpoints for which deliveries wait, whatever their state. */
export async function findWaiting(database: Kysely<ControlTables>): Promise<readonly WaitingEndpoint[]> {
  const { rows } = await sql<{ id: string; state: string; due_at: number | null; leftovers: number }>`
    select e.id, e.state, w.due_at,
      case when e.state = 'active' then 0
           when e.state <> 'registered' then 1
           when exists (select 1 from webhook_deliveries d
                        where d.state = 'waiting' and d.endpoint_id = e.id and d.kind <> ${PING}) then 1
           else 0 end as leftovers
    from (${WAITING_ENDPOINTS}) w join webhook_endpoints e on e.id = w.endpoint_id`.execute(database);
  return rows.flatMap((row) =>
    row.due_at === null // What waited was taken between two looks.
      ? []
      : [
          {
            id: row.id,
            state: getWord(ENDPOINT_STATES, row.state),
            dueAt: new Date(row.due_at),
            hasLeftovers: row.leftovers === 1,
          },
        ],
  );
}

/** Drops what must not be sent to an endpoint any more: everything, or all but pings while it is registered. */
export async function drop(
  database: Kysely<ControlTables>,
  { id, state }: Pick<Target, 'id' | 'state'>,
  now: Date,
): Promise<number> {
  switch (state) {
    case 'active':
      return 0;
    case 'registered':
      return dropLeftovers(database, id, now);
    case 'revoked':
    case 'suspended':
    case 'removed':
      return dropWaiting(database, id, { now });
  }
}

/** What waits, and how late the first of it is. */
export async function readBacklog(database: Kysely<ControlTables>, now: Date): Promise<Backlog> {
  const [counted, endpoints] = [
    await sql<{ waiting: number }>`select count(*) as waiting from webhook_deliveries where state = 'waiting'`.execute(
      database,
    ),
    await findWaiting(database),
  ];
  const due = endpoints.filter(({ dueAt, hasLeftovers }) => dueAt <= now && !hasLeftovers);
  const oldest = Math.min(...due.map(({ dueAt }) => dueAt.getTime()));
  return {
    waiting: counted.rows[0]?.waiting ?? 0,
    oldestDueAt: due.length === 0 ? undefined : new Date(oldest),
  };
}

/** A delivery and its newest attempt. */
export async function findDelivery(
  database: Kysely<ControlTables>,
  deliveryId: string,
): Promise<DeliveryReport | undefined> {
  const row = await database
    .selectFrom('webhook_deliveries')
    .select(['id', 'endpoint_id', 'kind', 'state', 'attempts'])
    .where('id', '=', deliveryId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const attempt = await database
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    kind: getWord(DELIVERY_KINDS, row.kind),
    state: getWord(DELIVERY_STATES, row.state),
    attempts: row.attempts,
    lastAttempt: attempt === undefined ? undefined : attemptFromRow(attempt),
  };
}

export async function findTarget(database: Kysely<ControlTables>, endpointId: string): Promise<Target | undefined> {
  const row = await database
    .selectFrom('webhook_endpoints')
    .select(['id', 'url', 'state', 'state_changed_at', 'consecutive_failures', 'sealed_secret'])
    .where('id', '=', endpointId)
    .executeTakeFirst();
  return row === undefined ? undefined : targetFromRow(row);
}
