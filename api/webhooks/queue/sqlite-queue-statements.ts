import type Sqlite from 'better-sqlite3';
import type { ClaimedRow, columnsOf, TargetRow } from './queue-rows.ts';

interface DueSelector {
  readonly endpointId: string;
  readonly now: number;
  readonly count: number;
}

type Columns = ReturnType<typeof columnsOf>;
type Settling = Columns & { readonly dispatcher: string };
type Claiming = { readonly id: string; readonly dispatcher: string; readonly dueAt: number };

/** One row per delivery with its event. */
const CLAIMED = `
  select d.id, d.kind, d.endpoint_id, d.attempts, d.event_id, e.topic, e.occurred_at, e.data
  from webhook_deliveries d join webhook_events e on e.id = d.event_id`;
/** What a dispatcher still holds, at the attempt that it speaks of. */
const HELD = "id = @id and state = 'waiting' and claimed_by = @dispatcher and attempts = @attempt - 1";

/** The statements of `sqlite-queue.ts`. */
export function prepareStatements(connection: Sqlite.Database) {
  const due = `${CLAIMED} where d.state = 'waiting' and d.endpoint_id = @endpointId and d.due_at <= @now`;
  return {
    /** What is due for an endpoint, the longest due first. */
    due: connection.prepare<[DueSelector], ClaimedRow>(`${due} order by d.due_at limit @count`),
    duePings: connection.prepare<[DueSelector], ClaimedRow>(
      `${due} and d.kind = 'ping' order by d.due_at limit @count`,
    ),
    /** A delivery that waits and that nobody has; no row where that is not so. */
    findClaimable: connection.prepare<[{ readonly id: string; readonly now: number }], ClaimedRow>(
      `${CLAIMED} where d.id = @id and d.state = 'waiting' and (d.claimed_by is null or d.due_at <= @now)`,
    ),
    claim: connection.prepare<[Claiming]>(
      'update webhook_deliveries set due_at = @dueAt, claimed_by = @dispatcher where id = @id',
    ),
    release: connection.prepare<[Claiming & { readonly attempt: number }]>(
      `update webhook_deliveries set due_at = @dueAt, claimed_by = null where ${HELD}`,
    ),
    /** When the delivery was queued; no row where the attempt doesn't count any more. */
    settle: connection
      .prepare<[Settling], number>(`
        update webhook_deliveries
        set state = @state, attempts = @attempt, due_at = @dueAt, finished_at = @finishedAt, claimed_by = null
        where ${HELD} returning created_at`)
      .pluck(),
    insertAttempt: connection.prepare<[Columns]>(`
      insert into webhook_attempts (delivery_id, attempt, started_at, duration_ms, outcome, status, message, answer)
      values (@id, @attempt, @startedAt, @durationMs, @outcome, @status, @message, @answer)`),
    target: connection.prepare<[string], TargetRow>(`
      select id, url, state, state_changed_at, consecutive_failures, sealed_secret from webhook_endpoints where id = ?`),
    countFailures: connection.prepare<[{ readonly id: string; readonly failures: number }]>(
      'update webhook_endpoints set consecutive_failures = @failures where id = @id',
    ),
  };
}
