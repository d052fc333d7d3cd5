import type { QueryConfig } from 'pg';
import type { WebhookDeliveryRow } from '../../database/tables/webhook-tables.ts';
import type { Release, Settlement, Turn } from './delivery-queue.ts';
import { type ClaimedRow, columnsOf, type TargetRow } from './queue-rows.ts';

/** The statements of `postgres-queue.ts`. Each takes arrays, one element per row, and is prepared once per connection. */

/**
 * The steps that write the attempts that still count and what they make of their deliveries: `settled` has one row per such
 * delivery. A delivery that is locked is left out. Parameters 1 to 12.
 */
const SETTLE = `
  told as (
    select * from unnest($2::text[], $3::int[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::int[],
                         $9::text[], $10::int[], $11::text[], $12::text[])
      as t (id, attempt, state, due_at, finished_at, started_at, duration_ms, outcome, status, message, answer)
  ), held as (
    select d.id from webhook_deliveries d
    where d.id = any($2::text[]) and d.state = 'waiting' and d.claimed_by = $1 for update skip locked
  ), settled as (
    update webhook_deliveries d
    set state = t.state, attempts = t.attempt, due_at = t.due_at, finished_at = t.finished_at, claimed_by = null
    from told t join held h on h.id = t.id
    where d.id = t.id and d.attempts = t.attempt - 1
    returning d.id, d.endpoint_id, d.kind, d.state, d.created_at
  ), noted as (
    insert into webhook_attempts (delivery_id, attempt, started_at, duration_ms, outcome, status, message, answer)
    select t.id, t.attempt, t.started_at, t.duration_ms, t.outcome, t.status, t.message, t.answer
    from told t join settled s on s.id = t.id
  )`;

export function settle(settlements: readonly Settlement[], dispatcher: string): QueryConfig {
  const text = `with ${SETTLE} select id, created_at from settled`;
  return { name: 'webhooks-settle', text, values: settleValues(settlements, dispatcher) };
}

function settleValues(settlements: readonly Settlement[], dispatcher: string): unknown[] {
  const columns = settlements.map(columnsOf);
  return [
    dispatcher,
    columns.map(({ id }) => id),
    columns.map(({ attempt }) => attempt),
    columns.map(({ state }) => state),
    columns.map(({ dueAt }) => dueAt),
    columns.map(({ finishedAt }) => finishedAt),
    columns.map(({ startedAt }) => startedAt),
    columns.map(({ durationMs }) => durationMs),
    columns.map(({ outcome }) => outcome),
    columns.map(({ status }) => status),
    columns.map(({ message }) => message),
    columns.map(({ answer }) => answer),
  ];
}

/** Of these the deliveries that the dispatcher still holds at that attempt. */
export function findHeld(settlements: readonly Settlement[], dispatcher: string): QueryConfig {
  return {
    name: 'webhooks-find-held',
    text: `
      select d.id from webhook_deliveries d
      join unnest($2::text[], $3::int[]) as t (id, attempt) on t.id = d.id and d.attempts = t.attempt - 1
      where d.state = 'waiting' and d.claimed_by = $1`,
    values: [
      dispatcher,
      settlements.map(({ delivery }) => delivery.id),
      settlements.map(({ attempt }) => attempt.attempt),
    ],
  };
}

/** Gives claims back. What is locked keeps its claim until that ends. */
export function release(releases: readonly Release[], dispatcher: string): QueryConfig {
  return {
    name: 'webhooks-release',
    text: `
      with held as (
        select d.id from webhook_deliveries d
        where d.id = any($2::text[]) and d.state = 'waiting' and d.claimed_by = $1 for update skip locked
      )
      update webhook_deliveries d set due_at = t.due_at, claimed_by = null
      from unnest($2::text[], $3::int[], $4::bigint[]) as t (id, attempt, due_at) join held h on h.id = t.id
      where d.id = t.id and d.attempts = t.attempt - 1`,
    values: [
      dispatcher,
      releases.map(({ delivery }) => delivery.id),
      releases.map(({ delivery }) => delivery.attempt),
      releases.map(({ dueAt }) => dueAt.getTime()),
    ],
  };
}

const CLAIMED_COLUMNS = 'd.id, d.kind, d.endpoint_id, d.attempts, d.event_id, v.topic, v.occurred_at, v.data';

/** One row of a whole turn: of each part only its own columns are there. */
export type TurnRow =
  | ({ readonly part: 'settled' } & SettledRow)
  | ({ readonly part: 'target' } & TargetRow)
  | ({ readonly part: 'claimed' } & ClaimedRow);
export type SettledRow = Pick<WebhookDeliveryRow, 'id' | 'created_at'>;

/**
 * A whole turn in one statement, and so one journey to the server: for attempts that at most begin the count of failures anew.
 * It must not settle pings or last failures. What it settles it does not claim.
 */
export function turnAtOnce({ settlements, dispatcher, wants, now, claimUntil, endpointIds }: Turn): QueryConfig {
  const none = 'null::bigint';
  return {
    name: 'webhooks-turn',
    text: `
      with ${SETTLE}, failing as (
        select e.id from webhook_endpoints e
        where e.state = 'active' and e.consecutive_failures <> 0
          and e.id in (select endpoint_id from settled where kind = 'event' and state = 'delivered')
        order by e.id for update
      ), recovered as (
        update webhook_endpoints e set consecutive_failures = 0 from failing f where e.id = f.id
      ), due as (
        select p.id
        from unnest($13::text[], $14::bigint[]) as w (endpoint_id, count)
        join webhook_endpoints e on e.id = w.endpoint_id
        cross join lateral (
          select d.id from webhook_deliveries d
          where d.state = 'waiting' and d.endpoint_id = w.endpoint_id and d.due_at <= $15 and d.id <> all($2::text[])
            and (e.state = 'active' or (e.state = 'registered' and d.kind = 'ping'))
          order by d.due_at limit w.count for update skip locked
        ) p
      ), claimed as (
        update webhook_deliveries d set due_at = $16, claimed_by = $1
        from due, webhook_events v
        where d.id = due.id and v.id = d.event_id
        returning ${CLAIMED_COLUMNS}
      )
      select 'claimed' as part, id, kind, endpoint_id, attempts, event_id, topic, occurred_at, data,
             null::text as url, null::text as state, ${none} as state_changed_at, null::int as consecutive_failures,
             null::text as sealed_secret, ${none} as created_at
      from claimed
      union all
      select 'target', id, null, null, null, null, null, null, null,
             url, state, state_changed_at, consecutive_failures, sealed_secret, null
      from webhook_endpoints where id = any($17::text[])
      union all
      select 'settled', id, null, null, null, null, null, null, null, null, null, null, null, null, created_at from settled`,
    values: [
      ...settleValues(settlements, dispatcher),
      wants.map(({ endpointId }) => endpointId),
      wants.map(({ count }) => count),
      now.getTime(),
      claimUntil.getTime(),
      [...new Set([...endpointIds, ...wants.map(({ endpointId }) => endpointId)])],
    ],
  };
}

/** Claims one delivery that waits and that nobody has. */
export function claimOne(
  deliveryId: string,
  { dispatcher, now, claimUntil }: Pick<Turn, 'dispatcher' | 'now' | 'claimUntil'>,
): QueryConfig {
  return {
    name: 'webhooks-claim-one',
    text: `
      update webhook_deliveries d set due_at = $3, claimed_by = $4
      from webhook_events v
      where d.id = $1 and v.id = d.event_id and d.state = 'waiting' and (d.claimed_by is null or d.due_at <= $2)
      returning ${CLAIMED_COLUMNS}`,
    values: [deliveryId, now.getTime(), claimUntil.getTime(), dispatcher],
  };
}

const TARGET_COLUMNS = 'id, url, state, state_changed_at, consecutive_failures, sealed_secret';

export function readTargets(ids: readonly string[]): QueryConfig {
  const text = `select ${TARGET_COLUMNS} from webhook_endpoints where id = any($1::text[])`;
  return { name: 'webhooks-targets', text, values: [ids] };
}

/** The same, locked in the order of their ids. */
export function lockTargets(ids: readonly string[]): QueryConfig {
  const text = `select ${TARGET_COLUMNS} from webhook_endpoints where id = any($1::text[]) order by id for update`;
  return { name: 'webhooks-lock-targets', text, values: [ids] };
}

export function countFailures(id: string, failures: number): QueryConfig {
  const text = 'update webhook_endpoints set consecutive_failures = $2 where id = $1';
  return { name: 'webhooks-count-failures', text, values: [id, failures] };
}
