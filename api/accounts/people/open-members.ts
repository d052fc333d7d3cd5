import type { BaseLogger } from 'pino';
import type { ControlDatabase } from '../../database/control-database.ts';
import { type CleanupStep, HourlyCleanup } from '../../database/hourly-cleanup.ts';
import type { Database } from '../../database/tables/tables.ts';
import type { Actor } from '../actor.ts';
import { AuditedChanges } from '../audit.ts';
import type { Mailer } from '../mailer.ts';
import { Outbox } from '../mailer.ts';
import { AttemptLimits } from './attempt-limits.ts';
import type { PeopleSettings } from './people.ts';
import { storedInstant } from './person.ts';

export interface OpenPeopleDeps {
  readonly database: ControlDatabase;
  /** Sends links and invitations. Closed by who opened it, after the people. */
  readonly mailer: Mailer;
  readonly log: Pick<BaseLogger, 'warn'>;
  /** Sessions and links are timed by better-auth, which reads the system's clock whatever this says. */
  readonly clock?: () => Date;
  readonly random?: (bytes: number) => Uint8Array;
  /** Called when something was changed: what is remembered of connections may not hold any more. */
  readonly onChange?: () => void;
}

/** What members and invitations need beside the control database. */
export interface PeopleParts {
  readonly settings: Pick<PeopleSettings, 'publicUrl' | 'signUp' | 'limits'>;
  readonly limits: AttemptLimits;
  readonly outbox: Outbox;
}

/** What operators need: members and connections alone, without what signs people in. */
export interface OpenedMembers extends PeopleParts {
  /** Memberships, invitations and connections as an actor reads and changes them, with the functions beside this file. */
  as(actor: Actor): AuditedChanges;
  /** Starts the hourly clean-up where it is due. */
  cleanUp(now: Date): void;
  /** Waits for mail under way and for the clean-up. The control database and the mailer stay open. */
  close(): Promise<void>;
}

/** Opens members and invitations on a control database that others use as well. */
export function openMembers(
  settings: PeopleParts['settings'],
  { database: { kysely: database }, mailer, log, clock = () => new Date(), random, onChange }: OpenPeopleDeps,
): OpenedMembers {
  const audit = {
    database,
    clock,
    ...(random && { random }),
    ...(onChange && { onChange }),
  };
  const cleanup = peopleCleanup(database, log);
  const outbox = new Outbox(mailer, log);
  const cleanUp = (now: Date) => cleanup.at(now);
  return {
    settings,
    limits: new AttemptLimits(settings.limits, { database, clock, onHit: cleanUp }),
    outbox,
    as: (actor) => new AuditedChanges(audit, actor),
    cleanUp,
    async close() {
      await outbox.idle();
      await cleanup.close();
    },
  };
}

/** Rows that a step removes at once: more keep other writers waiting longer. */
const ROWS_AT_ONCE = 500;

/** Programs that nobody connected are forgotten after this long; they register again. */
const UNUSED_CLIENT_MS = 90 * 86_400_000;

/** Removes sessions, links, invitations, tokens, counts and programs that are over, once an hour. */
function peopleCleanup(database: Database, log: Pick<BaseLogger, 'warn'>): HourlyCleanup {
  const stepsAt = (now: Date): readonly CleanupStep[] => [
    async () => {
      const old = database.selectFrom('invitations').select('id').where('expires_at', '<=', now.getTime());
      return removed(database.deleteFrom('invitations').where('id', 'in', old.limit(ROWS_AT_ONCE)));
    },
    async () => {
      const old = database.selectFrom('sign_in_limits').select('subject').where('ends_at', '<=', now.getTime());
      return removed(database.deleteFrom('sign_in_limits').where('subject', 'in', old.limit(ROWS_AT_ONCE)));
    },
    // Access tokens first: they name the refresh token that they came with.
    ...(['sessions', 'verifications', 'oauth_access_tokens', 'oauth_refresh_tokens'] as const).map(
      (table) => async () => {
        const old = database.selectFrom(table).select('id').where('expires_at', '<=', storedInstant(now));
        return removed(database.deleteFrom(table).where('id', 'in', old.limit(ROWS_AT_ONCE)));
      },
    ),
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
