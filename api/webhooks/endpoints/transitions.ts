import { sql } from 'kysely';
import { newId, ulidFromParts } from '../../../runtime/ulid.ts';
import { type AuditAction, recordAudit } from '../../accounts/audit.ts';
import { isPostgres } from '../../database/control-database.ts';
import type { Database } from '../../database/tables/tables.ts';
import { PING } from '../topics/topics.ts';
import { type Endpoint, type EndpointState, FAILURES_MAX } from './endpoint.ts';

/** Rows per statement. More block other writers longer. */
const ROWS_AT_ONCE = 2_000;

export interface Transition {
  readonly from: readonly EndpointState[];
  readonly to: EndpointState;
  readonly now: Date;
}

/**
 * Resets the failures. False, without a change, if the endpoint is in none of the `from` states. After leaving
 * `active`, call {@link dropWaiting}.
 */
export async function moveEndpoint(transaction: Database, id: string, { from, to, now }: Transition): Promise<boolean> {
  const nowMs = now.getTime();
  // No two states begin in the same millisecond, so a ping belongs to one registration.
  const begin = sql<number>`case when state_changed_at < ${nowMs} then ${nowMs} else state_changed_at + 1 end`;
  const { numUpdatedRows } = await transaction
    .updateTable('webhook_endpoints')
    .set({ state: to, state_changed_at: begin, consecutive_failures: 0 })
    .where('id', '=', id)
    .where('state', 'in', from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

const REVOKE = 'webhook.revoke' satisfies AuditAction;

/** With the owner's notice and the audit entry. */
export async function revokeEndpoint(transaction: Database, id: string, now: Date): Promise<void> {
  if (!(await moveEndpoint(transaction, id, { from: ['active'], to: 'revoked', now }))) return;
  const { organization_id: organizationId } = await transaction
    .updateTable('webhook_endpoints')
    .set({ notice: 'revoked' })
    .where('id', '=', id)
    .returning('organization_id')
    .executeTakeFirstOrThrow();
  await recordAudit(transaction, {
    id: `audit_${ulidFromParts(now, [REVOKE, id])}`, // An endpoint is revoked once per instant.
    at: now,
    actor: 'system',
    origin: null,
    organizationId,
    action: REVOKE,
    subjectId: id,
    details: { consecutive_failures: FAILURES_MAX },
  });
}

/** States in which an endpoint is sent nothing. */
const SILENT_STATES = ['revoked', 'suspended', 'removed'] as const satisfies readonly EndpointState[];

/**
 * Drops an endpoint's waiting deliveries in steps that let others write; resolves to how many. Each step checks the
 * state: after another process moved the endpoint out of `states`, new deliveries stay.
 */
export async function dropWaiting(
  database: Database,
  endpointId: string,
  { now, states = SILENT_STATES }: { readonly now: Date; readonly states?: readonly EndpointState[] },
): Promise<number> {
  return dropInSteps(database, now, { endpointId, states, kinds: ['event', 'replay', PING] });
}

/**
 * Drops deliveries from before an endpoint was registered again, which a killed process left. Pings stay, and
 * everything of an endpoint that is active by now. Resolves to how many.
 */
export async function dropLeftovers(database: Database, endpointId: string, now: Date): Promise<number> {
  return dropInSteps(database, now, {
    endpointId,
    states: ['registered', ...SILENT_STATES],
    kinds: ['event', 'replay'],
  });
}

interface ToDrop {
  readonly endpointId: string;
  readonly states: readonly EndpointState[];
  readonly kinds: readonly string[];
}

async function dropInSteps(database: Database, now: Date, { endpointId, states, kinds }: ToDrop): Promise<number> {
  for (let dropped = 0; ; ) {
    const { numUpdatedRows } = await database
      .updateTable('webhook_deliveries')
      .set({ state: 'dropped', finished_at: now.getTime(), claimed_by: null })
      .where('id', 'in', (query) =>
        query
          .selectFrom('webhook_deliveries as d')
          .innerJoin('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
          .select('d.id')
          .where('d.endpoint_id', '=', endpointId)
          .where('e.state', 'in', states)
          .where('d.state', '=', 'waiting')
          .where('d.kind', 'in', kinds)
          .orderBy('d.id') // The order in which settling locks them, against deadlocks.
          .limit(ROWS_AT_ONCE)
          .$if(isPostgres(database), (rows) => rows.forUpdate('d')),
      )
      .where('state', '=', 'waiting') // PostgreSQL checks it again after waiting for a lock.
      .executeTakeFirstOrThrow();
    dropped += Number(numUpdatedRows);
    if (numUpdatedRows < ROWS_AT_ONCE) return dropped;
    await new Promise((resolve) => setImmediate(resolve)); // Let requests run.
  }
}

/** Due now, with one attempt; resolves to the delivery's id (specification "Endpoint verification"). */
export async function queuePing(
  transaction: Database,
  { id, topics }: Pick<Endpoint, 'id' | 'topics'>,
  now: Date,
): Promise<string> {
  const [eventId, deliveryId, nowMs] = [newId('evt'), newId('dlv'), now.getTime()];
  await transaction
    .insertInto('webhook_events')
    .values({
      id: eventId,
      topic: PING,
      endpoint_id: id,
      occurred_at: nowMs,
      seq: null,
      data: JSON.stringify({ endpoint_id: id, topics }),
    })
    .execute();
  await transaction
    .insertInto('webhook_deliveries')
    .values({
      id: deliveryId,
      event_id: eventId,
      endpoint_id: id,
      kind: 'ping',
      state: 'waiting',
      attempts: 0,
      due_at: nowMs,
      claimed_by: null,
      // Not before the state began, whatever the clocks.
      created_at: sql<number>`
        coalesce((select state_changed_at from webhook_endpoints where id = ${id} and state_changed_at > ${nowMs}), ${nowMs})`,
      finished_at: null,
    })
    .execute();
  return deliveryId;
}
