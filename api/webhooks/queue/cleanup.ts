import { sql } from 'kysely';
import type { BaseLogger } from 'pino';
import { encodeTime } from 'ulid';
import { type CleanupStep, HourlyCleanup, removeRows } from '../../database/hourly-cleanup.ts';
import type { Database } from '../../database/tables/tables.ts';

/** Of ended deliveries, and of events for replays (specification "Retries"). */
export const RETENTION_DAYS = 30;

const DAY_MS = 86_400_000;
/** Characters of an id that encode its time. */
const ID_TIME_LENGTH = 10;
/** Rows per step. More block other writers longer. */
const ROWS_AT_ONCE = 500;

/** Removes deliveries, their attempts, and events after the retention, but none that waits. */
export function webhookCleanup(
  database: Database,
  log: Pick<BaseLogger, 'warn'>,
  { rowsAtOnce = ROWS_AT_ONCE }: { readonly rowsAtOnce?: number } = {},
): HourlyCleanup {
  const stepsAt = (now: Date) => {
    const before = new Date(now.getTime() - RETENTION_DAYS * DAY_MS);
    return [(rowsMax: number) => deleteDeliveries(database, before, rowsMax), removeEvents(database, before)];
  };
  const failure = 'expired webhook deliveries could not be removed';
  return new HourlyCleanup(stepsAt, { rowsAtOnce, log, failure });
}

async function deleteDeliveries(database: Database, before: Date, rowsMax: number): Promise<number> {
  const rows = await database
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('id', '<', idAt('dlv_', before)) // An upper bound by primary key; the next conditions decide.
    .where('state', '<>', 'waiting')
    .where('finished_at', '<', before.getTime())
    .orderBy('id')
    .limit(rowsMax)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await database.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('webhook_attempts').where('delivery_id', 'in', ids).execute();
    await transaction.deleteFrom('webhook_deliveries').where('id', 'in', ids).where('state', '<>', 'waiting').execute();
  });
  return ids.length;
}

function removeEvents(database: Database, before: Date): CleanupStep {
  const where = sql`id < ${idAt('evt_', before)} and occurred_at < ${before.getTime()}
    and not exists (select 1 from webhook_deliveries d where d.event_id = webhook_events.id) order by id`;
  return removeRows(database, 'webhook_events', { key: ['id'], where });
}

/** Ids are ULIDs, which begin with their time. */
function idAt(prefix: string, at: Date): string {
  return `${prefix}${encodeTime(Math.max(0, at.getTime()), ID_TIME_LENGTH)}`;
}
