import type { Kysely } from 'kysely';
import type { BaseLogger } from 'pino';
import { type CleanupStep, HourlyCleanup } from '../../database/hourly-cleanup.ts';
import type { ControlTables } from '../../database/tables.ts';
import { storedInstant } from './person.ts';

/** Rows that a step removes at once: more keep other writers waiting longer. */
const ROWS_AT_ONCE = 500;

/** Removes sessions, links, invitations and counts that are over, once an hour. */
export function peopleCleanup(database: Kysely<ControlTables>, log: Pick<BaseLogger, 'warn'>): HourlyCleanup {
  const stepsAt = (now: Date): readonly CleanupStep[] => [
    async () => {
      const old = database.selectFrom('sessions').select('id').where('expires_at', '<=', storedInstant(now));
      return removed(database.deleteFrom('sessions').where('id', 'in', old.limit(ROWS_AT_ONCE)));
    },
    async () => {
      const old = database.selectFrom('verifications').select('id').where('expires_at', '<=', storedInstant(now));
      return removed(database.deleteFrom('verifications').where('id', 'in', old.limit(ROWS_AT_ONCE)));
    },
    async () => {
      const old = database.selectFrom('invitations').select('id').where('expires_at', '<=', now.getTime());
      return removed(database.deleteFrom('invitations').where('id', 'in', old.limit(ROWS_AT_ONCE)));
    },
    async () => {
      const old = database.selectFrom('sign_in_limits').select('subject').where('ends_at', '<=', now.getTime());
      return removed(database.deleteFrom('sign_in_limits').where('subject', 'in', old.limit(ROWS_AT_ONCE)));
    },
  ];
  const failure = 'sessions and links that are over could not be removed';
  return new HourlyCleanup(stepsAt, { rowsAtOnce: ROWS_AT_ONCE, log, failure });
}

async function removed(query: {
  executeTakeFirstOrThrow(): Promise<{ readonly numDeletedRows: bigint }>;
}): Promise<number> {
  return Number((await query.executeTakeFirstOrThrow()).numDeletedRows);
}
