import type { BaseLogger } from 'pino';
import { addDays, type Day, dayFromDate } from '../../../runtime/day.ts';
import { HourlyCleanup } from '../../database/hourly-cleanup.ts';
import type { Database } from '../../database/tables/tables.ts';

export interface UsageCleanupOptions {
  /** Days of usage to keep beside today's; reports on a year need 366. */
  readonly usageDays: number;
  /** Rows deleted at once: more keep other writers waiting longer. */
  readonly rowsAtOnce: number;
}

/** Reservations of yesterday may still be released; older ones are not under way any more. */
const IDEMPOTENCY_DAYS = 1;

/** Removes usage and Idempotency-Keys of past days, from the first reservation of an hour on. */
export function usageCleanup(
  database: Database,
  log: Pick<BaseLogger, 'warn'>,
  { usageDays, rowsAtOnce }: UsageCleanupOptions,
): HourlyCleanup {
  const stepsAt = (now: Date) => {
    const today = dayFromDate(now);
    return [
      () => deleteKeys(database, addDays(today, -IDEMPOTENCY_DAYS), rowsAtOnce),
      () => deleteUsage(database, addDays(today, -usageDays), rowsAtOnce),
      () => deleteRequestCounts(database, addDays(today, -usageDays), rowsAtOnce),
    ];
  };
  return new HourlyCleanup(stepsAt, { rowsAtOnce, log, failure: 'usage of days gone by could not be removed' });
}

async function deleteKeys(database: Database, before: Day, rowsAtOnce: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('idempotency_keys')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('day', 'api_key_id', 'key', 'request'),
        'in',
        selectFrom('idempotency_keys')
          .select(['day', 'api_key_id', 'key', 'request'])
          .where('day', '<', before)
          .limit(rowsAtOnce)
          .$asTuple('day', 'api_key_id', 'key', 'request'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function deleteUsage(database: Database, before: Day, rowsAtOnce: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('daily_usage')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('organization_id', 'day'),
        'in',
        selectFrom('daily_usage')
          .select(['organization_id', 'day'])
          .where('day', '<', before)
          .limit(rowsAtOnce)
          .$asTuple('organization_id', 'day'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function deleteRequestCounts(database: Database, before: Day, rowsAtOnce: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('request_counts')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('organization_id', 'day', 'api_key_id', 'route', 'client_source'),
        'in',
        selectFrom('request_counts')
          .select(['organization_id', 'day', 'api_key_id', 'route', 'client_source'])
          .where('day', '<', before)
          .limit(rowsAtOnce)
          .$asTuple('organization_id', 'day', 'api_key_id', 'route', 'client_source'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
