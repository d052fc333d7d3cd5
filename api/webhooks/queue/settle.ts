import { sql } from 'kysely';
import { isPostgres, jsonRows } from '../../database/control-database.ts';
import { type Database, parseEnum } from '../../database/tables/tables.ts';
import type {
  WebhookAttemptRow,
  WebhookDeliveryRow,
  WebhookEndpointRow,
} from '../../database/tables/webhook-tables.ts';
import { ENDPOINT_STATES, type EndpointState, FAILURES_MAX } from '../endpoints/endpoint.ts';
import { moveEndpoint, revokeEndpoint } from '../endpoints/transitions.ts';
import {
  type Attempt,
  endedAtMs,
  OUTCOMES,
  type Release,
  type SettleBatch,
  type Settlement,
  type SettleResult,
} from './delivery.ts';

/** Writes attempts that still count, releases claims, and updates endpoints. */
export async function settle(transaction: Database, batch: SettleBatch): Promise<SettleResult> {
  const { settlements, releases, now } = batch;
  if (settlements.length + releases.length === 0) return { activated: [], revoked: [] };
  const held = await lockHeld(transaction, batch);
  const settled = settlements.flatMap((settlement) => {
    const row = held.get(settlement.delivery.id);
    const isHeld = row?.attempts === settlement.attempt.attempt - 1;
    return isHeld ? [{ ...settlement, createdAt: row.created_at }] : [];
  });
  const released = releases.filter(({ delivery: { id, attempt } }) => held.get(id)?.attempts === attempt - 1);
  await writeDeliveries(transaction, [...settled.map(columnsOf), ...released.map(columnsOfReleased)]);
  await writeAttempts(transaction, settled);
  return changeEndpoints(transaction, { settled, held, now });
}

/** A delivery and its endpoint's status. */
type HeldRow = Pick<WebhookDeliveryRow, 'id' | 'attempts' | 'created_at'> &
  Pick<WebhookEndpointRow, 'state' | 'state_changed_at' | 'consecutive_failures'>;

/** Those that still wait and are claimed by the dispatcher. */
async function lockHeld(
  transaction: Database,
  { settlements, releases, dispatcher }: SettleBatch,
): Promise<ReadonlyMap<string, HeldRow>> {
  const ids = [...settlements, ...releases].map(({ delivery }) => [delivery.id]);
  const lock = isPostgres(transaction) ? sql`for update of d` : sql``;
  const { rows } = await sql<HeldRow>`/* webhooks-held */
    select d.id, d.attempts, d.created_at, e.state, e.state_changed_at, e.consecutive_failures
    from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
    where d.id in (select value->>0 from ${jsonRows(transaction, ids)})
      and d.state = 'waiting' and d.claimed_by = ${dispatcher}
    order by d.id ${lock}`.execute(transaction);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Id, state, ended attempts, due time and end of a delivery. */
type DeliveryColumns = readonly [string, string, number, number, number | null];

function columnsOf(settlement: Settlement): DeliveryColumns {
  const { delivery, attempt, nextAt } = settlement;
  const endedAt = endedAtMs(attempt);
  const dueAt = nextAt?.getTime() ?? endedAt;
  return [delivery.id, stateAfter(settlement), attempt.attempt, dueAt, nextAt === undefined ? endedAt : null];
}

function columnsOfReleased({ delivery: { id, attempt }, dueAt }: Release): DeliveryColumns {
  return [id, 'waiting', attempt - 1, dueAt.getTime(), null];
}

async function writeDeliveries(transaction: Database, rows: readonly DeliveryColumns[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`/* webhooks-settle */
    update webhook_deliveries
    set state = value->>1, attempts = cast(value->>2 as integer), due_at = cast(value->>3 as bigint),
        finished_at = cast(value->>4 as bigint), claimed_by = null
    from ${jsonRows(transaction, rows)} where webhook_deliveries.id = value->>0`.execute(transaction);
}

async function writeAttempts(transaction: Database, settled: readonly Settlement[]): Promise<void> {
  if (settled.length === 0) return;
  const rows = settled.map(
    ({ delivery, attempt: { attempt, startedAt, durationMs, outcome, status, message, answer } }) => [
      delivery.id,
      attempt,
      startedAt.getTime(),
      durationMs,
      outcome,
      status,
      message,
      answer,
    ],
  );
  await sql`/* webhooks-attempts */
    insert into webhook_attempts (delivery_id, attempt, started_at, duration_ms, outcome, status, message, answer)
    select value->>0, cast(value->>1 as integer), cast(value->>2 as bigint), cast(value->>3 as bigint), value->>4,
           cast(value->>5 as integer), value->>6, value->>7
    from ${jsonRows(transaction, rows)} where true on conflict do nothing`.execute(transaction);
}

interface SettledBatch {
  /** In the order in which they ended. */
  readonly settled: readonly Settled[];
  readonly held: ReadonlyMap<string, StatusColumns>;
  readonly now: Date;
}

/** Reads the endpoints again under a lock before it changes them. */
async function changeEndpoints(transaction: Database, { settled, held, now }: SettledBatch): Promise<SettleResult> {
  const byEndpoint = Map.groupBy(settled, ({ delivery }) => delivery.endpointId);
  const changing = [...byEndpoint].flatMap(([id, ofEndpoint]) => {
    const row = held.get(ofEndpoint[0]?.delivery.id ?? '');
    return row !== undefined && endpointChange(statusFromRow(row), ofEndpoint).kind !== 'none' ? [id] : [];
  });
  if (changing.length === 0) return { activated: [], revoked: [] };
  const rows = await transaction
    .selectFrom('webhook_endpoints')
    .select(['id', 'state', 'state_changed_at', 'consecutive_failures'])
    .where('id', 'in', changing)
    .orderBy('id')
    .$if(isPostgres(transaction), (query) => query.forUpdate())
    .execute();
  const changes = rows.map((row) => ({
    id: row.id,
    change: endpointChange(statusFromRow(row), byEndpoint.get(row.id) ?? []),
  }));
  for (const { id, change } of changes) await changeEndpoint(transaction, { id, change, now });
  const idsOf = (kind: EndpointChange['kind']) =>
    changes.filter(({ change }) => change.kind === kind).map(({ id }) => id);
  return { activated: idsOf('activated'), revoked: idsOf('revoked') };
}

type StatusColumns = Pick<WebhookEndpointRow, 'state' | 'state_changed_at' | 'consecutive_failures'>;

function statusFromRow({ state, state_changed_at, consecutive_failures }: StatusColumns): EndpointStatus {
  return {
    state: parseEnum(ENDPOINT_STATES, state),
    stateChangedAt: state_changed_at,
    consecutiveFailures: consecutive_failures,
  };
}

async function changeEndpoint(
  transaction: Database,
  { id, change, now }: { readonly id: string; readonly change: EndpointChange; readonly now: Date },
): Promise<void> {
  switch (change.kind) {
    case 'none':
      return;
    case 'counted': {
      const consecutive_failures = change.consecutiveFailures;
      await transaction.updateTable('webhook_endpoints').set({ consecutive_failures }).where('id', '=', id).execute();
      return;
    }
    case 'revoked':
      return revokeEndpoint(transaction, id, now);
    case 'activated':
      await moveEndpoint(transaction, id, { from: ['registered'], to: 'active', now });
      return;
  }
}

export function attemptFromRow(row: Omit<WebhookAttemptRow, 'delivery_id'>): Attempt {
  return {
    attempt: row.attempt,
    startedAt: new Date(row.started_at),
    durationMs: row.duration_ms,
    outcome: parseEnum(OUTCOMES, row.outcome),
    status: row.status,
    message: row.message,
    answer: row.answer,
  };
}

interface EndpointStatus {
  readonly state: EndpointState;
  readonly stateChangedAt: number;
  readonly consecutiveFailures: number;
}

type EndpointChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'counted'; readonly consecutiveFailures: number }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'activated' };

/** A written settlement and when its delivery was queued (Unix milliseconds). */
type Settled = Settlement & { readonly createdAt: number };

/**
 * Effect of attempts, in the order of their end, on an endpoint (specification "Webhook endpoints"). If active, only
 * deliveries of events count, after their last attempt: a success resets, the twentieth failure in a row revokes. If
 * registered, a ping queued since then activates it.
 */
function endpointChange(endpoint: EndpointStatus, settled: readonly Settled[]): EndpointChange {
  switch (endpoint.state) {
    case 'active':
      return failureChange(endpoint.consecutiveFailures, settled);
    case 'registered':
      return settled.some((one) => isSuccessfulPing(one) && one.createdAt >= endpoint.stateChangedAt)
        ? { kind: 'activated' }
        : { kind: 'none' };
    case 'revoked':
    case 'suspended':
    case 'removed':
      return { kind: 'none' };
  }
}

function failureChange(before: number, settled: readonly Settled[]): EndpointChange {
  let failures = before;
  for (const { delivery, attempt, nextAt } of settled) {
    if (delivery.kind !== 'event' || nextAt !== undefined) continue;
    failures = attempt.outcome === 'delivered' ? 0 : failures + 1;
    if (failures >= FAILURES_MAX) return { kind: 'revoked' };
  }
  return failures === before ? { kind: 'none' } : { kind: 'counted', consecutiveFailures: failures };
}

function isSuccessfulPing({ delivery, attempt }: Settlement): boolean {
  return delivery.kind === 'ping' && attempt.outcome === 'delivered';
}

function stateAfter({ attempt, nextAt }: Settlement): 'waiting' | 'delivered' | 'failed' {
  if (nextAt !== undefined) return 'waiting';
  return attempt.outcome === 'delivered' ? 'delivered' : 'failed';
}
