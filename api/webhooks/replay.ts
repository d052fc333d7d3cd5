import { AppError } from '../../runtime/errors.ts';
import { newId } from '../../runtime/ulid.ts';
import type { Database } from '../database/tables/tables.ts';
import { RETENTION_DAYS } from './queue/cleanup.ts';
import { PING } from './topics/topics.ts';

/** Events per call (specification "Redelivery"). */
export const REPLAYS_MAX = 10_000;
const DAY_MS = 86_400_000;
/** Rows per statement: databases limit its parameters. */
const ROWS_AT_ONCE = 1_000;

/**
 * Found by its id, or that of a delivery to this endpoint. Rejects with `not_found`, also for a ping, another
 * endpoint's own event, and after 30 days.
 */
export async function getReplayable(
  database: Database,
  endpointId: string,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<string> {
  const event = await database
    .selectFrom('webhook_events as e')
    .select(['e.id', 'e.occurred_at'])
    .where('e.topic', '<>', PING)
    .where(({ or, eb }) => or([eb('e.endpoint_id', 'is', null), eb('e.endpoint_id', '=', endpointId)]))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('e.id', '=', id),
        exists(
          selectFrom('webhook_deliveries as d')
            .select('d.id')
            .whereRef('d.event_id', '=', 'e.id')
            .where('d.id', '=', id)
            .where('d.endpoint_id', '=', endpointId),
        ),
      ]),
    )
    .executeTakeFirst();
  if (event === undefined || event.occurred_at < now.getTime() - RETENTION_DAYS * DAY_MS)
    throw new AppError(
      'not_found',
      `there is no event or delivery ${id} of the last ${RETENTION_DAYS} days for ${endpointId}`,
    );
  return event.id;
}

/**
 * Events, oldest first, with a delivery that failed or was dropped since `since`, and none that waits or was delivered;
 * up to one more than the limit.
 */
export async function findUndelivered(
  database: Database,
  endpointId: string,
  { since, now }: { readonly since: Date; readonly now: Date },
): Promise<readonly string[]> {
  const rows = await database
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_events as e', 'e.id', 'd.event_id')
    .select('e.id')
    .distinct()
    .where('d.endpoint_id', '=', endpointId)
    .where('e.topic', '<>', PING)
    .where('e.occurred_at', '>=', now.getTime() - RETENTION_DAYS * DAY_MS)
    .where('d.finished_at', '>=', since.getTime())
    .where('d.state', 'in', ['failed', 'dropped'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_deliveries as other')
            .select('other.id')
            .whereRef('other.event_id', '=', 'e.id')
            .where('other.endpoint_id', '=', endpointId)
            .where('other.state', 'in', ['waiting', 'delivered']),
        ),
      ),
    )
    .orderBy('e.id')
    .limit(REPLAYS_MAX + 1)
    .execute();
  return rows.map(({ id }) => id);
}

/** Queues a delivery per event; resolves to their ids. */
export async function queueReplays(
  transaction: Database,
  endpointId: string,
  { eventIds, now }: { readonly eventIds: readonly string[]; readonly now: Date },
): Promise<readonly string[]> {
  const rows = eventIds.map((eventId) => ({
    id: newId('dlv'),
    event_id: eventId,
    endpoint_id: endpointId,
    kind: 'replay',
    state: 'waiting',
    attempts: 0,
    due_at: now.getTime(),
    claimed_by: null,
    created_at: now.getTime(),
    finished_at: null,
  }));
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await transaction
      .insertInto('webhook_deliveries')
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .execute();
  }
  return rows.map(({ id }) => id);
}
