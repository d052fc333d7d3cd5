import { sql } from 'kysely';
import type { BaseLogger } from 'pino';
import type { ControlDatabase } from '../../database/control-database.ts';
import { type CleanupStep, HourlyCleanup, removeRows } from '../../database/hourly-cleanup.ts';
import type { Database } from '../../database/tables/tables.ts';
import type { Actor } from '../actor.ts';
import { AuditedChanges } from '../audit.ts';
import { type Mailer, Outbox } from '../mailer.ts';
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
  { database: { kysely: database }, mailer, log, clock = () => new Date(), onChange }: OpenPeopleDeps,
): OpenedMembers {
  const audit = {
    database,
    clock,
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
    removeRows(database, 'invitations', { key: ['id'], where: sql`expires_at <= ${now.getTime()}` }),
    removeRows(database, 'sign_in_limits', { key: ['subject'], where: sql`ends_at <= ${now.getTime()}` }),
    // Access tokens first: they name the refresh token that they came with.
    ...(['sessions', 'verifications', 'oauth_access_tokens', 'oauth_refresh_tokens'] as const).map((table) =>
      removeRows(database, table, { key: ['id'], where: sql`expires_at <= ${storedInstant(now)}` }),
    ),
    removeRows(database, 'oauth_clients', {
      key: ['id'],
      where: unusedSince(new Date(now.getTime() - UNUSED_CLIENT_MS)),
    }),
  ];
  const failure = 'sessions and links that are over could not be removed';
  return new HourlyCleanup(stepsAt, { rowsAtOnce: ROWS_AT_ONCE, log, failure });
}

/** A program that registered before, and that nobody has connected. */
function unusedSince(date: Date) {
  return sql`created_at <= ${storedInstant(date)}
    and client_id not in (select client_id from connections)
    and client_id not in (select client_id from oauth_access_tokens)
    and client_id not in (select client_id from oauth_refresh_tokens)`;
}
