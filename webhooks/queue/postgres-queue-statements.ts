import type { QueryConfig } from 'pg';
import type { Release, Settlement, Turn } from './delivery-queue.ts';
import { columnsOf } from './queue-rows.ts';

/** The statements of `postgres-queue.ts`. Each takes arrays, one element per row, and is prepared once per connection. */

/**
 * Writes the attempts that still count and what they make of their deliveries; one row per such delivery. A delivery that is
 * locked is left out.
 */
export function settle(settlements: readonly Settlement[], dispatcher: string): QueryConfig {
  const columns = settlements.map(columnsOf);
  return {
    name: 'webhooks-settle',
    text: `
      with told as (
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
        returning d.id, d.created_at
      ), noted as (
        insert into webhook_attempts (delivery_id, attempt, started_at, duration_ms, outcome, status, message, answer)
        select t.id, t.attempt, t.started_at, t.duration_ms, t.outcome, t.status, t.message, t.answer
        from told t join settled s on s.id = t.id
      )
      select id, created_at from settled`,
    values: [
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
    ],
  };
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

/** Claims what is due for each endpoint, the longest due first; one row per claimed delivery. */
export function claim({ wants, dispatcher, now, claimUntil }: Turn): QueryConfig {
  return {
    name: 'webhooks-claim',
    text: `
      with due as (
        select p.id
        from unnest($1::text[], $2::bigint[]) as w (endpoint_id, count)
        join webhook_endpoints e on e.id = w.endpoint_id
        cross join lateral (
          select d.id from webhook_deliveries d
          where d.state = 'waiting' and d.endpoint_id = w.endpoint_id and d.due_at <= $3
            and (e.state = 'active' or (e.state = 'registered' and d.kind = 'ping'))
          order by d.due_at limit w.count for update skip locked
        ) p
      )
      update webhook_deliveries d set due_at = $4, claimed_by = $5
      from due, webhook_events v
      where d.id = due.id and v.id = d.event_id
      returning ${CLAIMED_COLUMNS}`,
    values: [
      wants.map(({ endpointId }) => endpointId),
      wants.map(({ count }) => count),
      now.getTime(),
      claimUntil.getTime(),
      dispatcher,
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

export function notice(id: string, text: string): QueryConfig {
  return {
    name: 'webhooks-notice',
    text: 'update webhook_endpoints set notice = $2 where id = $1',
    values: [id, text],
  };
}
