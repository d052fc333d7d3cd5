import { sql } from 'kysely';
import type { BaseLogger } from 'pino';
import { addDays, dayFromDate } from '../../../runtime/day.ts';
import { defaultsOf } from '../../../runtime/setting.ts';
import { HourlyCleanup, removeRows } from '../../database/hourly-cleanup.ts';
import type { Database } from '../../database/tables/tables.ts';
import { COUNTS_KEY } from '../request-counts/request-recorder.ts';
import { USAGE_SETTINGS } from '../request-counts/usage-settings.ts';

export const CLEANUP_OPTIONS = {
  /** Days of usage to retain besides today; yearly reports need 366. */
  usageDays: defaultsOf(USAGE_SETTINGS).days,
  /** Rows per deletion; more block other writers longer. */
  rowsAtOnce: 1_000,
};
export type CleanupOptions = Readonly<typeof CLEANUP_OPTIONS>;

/** Yesterday's reservations may still be released, older ones not. */
const IDEMPOTENCY_DAYS = 1;

/** Runs hourly, with the first reservation of the hour. */
export function usageCleanup(
  database: Database,
  log: Pick<BaseLogger, 'warn'>,
  { usageDays, rowsAtOnce }: CleanupOptions,
): HourlyCleanup {
  const stepsAt = (now: Date) => {
    const before = (days: number) => sql`day < ${addDays(dayFromDate(now), -days)}`;
    const old = before(usageDays);
    return [
      removeRows(database, 'idempotency_keys', { key: IDEMPOTENCY_KEY, where: before(IDEMPOTENCY_DAYS) }),
      removeRows(database, 'daily_usage', { key: ['organization_id', 'day'], where: old }),
      removeRows(database, 'request_counts', { key: COUNTS_KEY, where: old }),
    ];
  };
  return new HourlyCleanup(stepsAt, { rowsAtOnce, log, failure: 'old usage could not be deleted' });
}

const IDEMPOTENCY_KEY = ['day', 'api_key_id', 'key', 'request'];
