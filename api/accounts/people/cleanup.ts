import type { Kysely } from 'kysely';
import type { BaseLogger } from 'pino';
import { type CleanupStep, HourlyCleanup } from '../../database/hourly-cleanup.ts';
import type { ControlTables } from '../../database/tables/tables.ts';
import { storedInstant } from './person.ts';

/** Rows that a step removes at once: more keep other writers waiting longer. */
const ROWS_AT_ONCE = 500;

/** Programs that nobody connected are forgotten after this long; they register again. */
const UNUSED_CLIENT_MS = 90 * 86_400_000;

/** Removes sessions, links, invitations, tokens, counts and programs that are over, once an hour. */
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
    // Access tokens first: they name the refresh token that they came with.
    ...(['oauth_access_tokens', 'oauth_refresh_tokens'] as const).map((table) => async () => {
      const old = database.selectFrom(table).select('id').where('expires_at', '<=', storedInstant(now));
      return removed(database.deleteFrom(table).where('id', 'in', old.limit(ROWS_AT_ONCE)));
    }),
    async () => {
      const before = storedInstant(new Date(now.getTime() - UNUSED_CLIENT_MS));
      const unused = database
        .selectFrom('oauth_clients')
        .select('id')
        .where('created_at', '<=', before)
        .where('client_id', 'not in', database.selectFrom('connections').select('client_id'))
        .where('client_id', 'not in', database.selectFrom('oauth_access_tokens').select('client_id'))
        .where('client_id', 'not in', database.selectFrom('oauth_refresh_tokens').select('client_id'));
      return removed(database.deleteFrom('oauth_clients').where('id', 'in', unused.limit(ROWS_AT_ONCE)));
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
