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
  /** The caller closes it, after the people. */
  readonly mailer: Mailer;
  readonly log: Pick<BaseLogger, 'warn'>;
  /** Sessions and links use the system clock instead (better-auth). */
  readonly clock?: () => Date;
  /** Called after each change. */
  readonly onChange?: () => void;
}

export interface PeopleParts {
  readonly settings: Pick<PeopleSettings, 'publicUrl' | 'signUp' | 'limits'>;
  readonly limits: AttemptLimits;
  readonly outbox: Outbox;
}

/** Members and connections without sign-in, for operators. */
export interface OpenedMembers extends PeopleParts {
  /** For the functions beside this file. */
  as(actor: Actor): AuditedChanges;
  /** Starts the hourly clean-up if due. */
  cleanUp(now: Date): void;
  /** Waits for emails and the clean-up; database and mailer stay open. */
  close(): Promise<void>;
}

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

/** More block other writers longer. */
const ROWS_AT_ONCE = 500;

/** For unconnected programs, which can register again. */
const UNUSED_CLIENT_MS = 90 * 86_400_000;

/** Deletes what has expired, hourly. */
function peopleCleanup(database: Database, log: Pick<BaseLogger, 'warn'>): HourlyCleanup {
  const stepsAt = (now: Date): readonly CleanupStep[] => [
    removeRows(database, 'invitations', { key: ['id'], where: sql`expires_at <= ${now.getTime()}` }),
    removeRows(database, 'sign_in_limits', { key: ['subject'], where: sql`ends_at <= ${now.getTime()}` }),
    // Access tokens first: they reference refresh tokens.
    ...(['sessions', 'verifications', 'oauth_access_tokens', 'oauth_refresh_tokens'] as const).map((table) =>
      removeRows(database, table, { key: ['id'], where: sql`expires_at <= ${storedInstant(now)}` }),
    ),
    removeRows(database, 'oauth_clients', {
      key: ['id'],
      where: unusedSince(new Date(now.getTime() - UNUSED_CLIENT_MS)),
    }),
  ];
  const failure = 'expired sessions and links could not be deleted';
  return new HourlyCleanup(stepsAt, { rowsAtOnce: ROWS_AT_ONCE, log, failure });
}

/** Registered before `date` and never connected. */
function unusedSince(date: Date) {
  return sql`created_at <= ${storedInstant(date)}
    and client_id not in (select client_id from connections)
    and client_id not in (select client_id from oauth_access_tokens)
    and client_id not in (select client_id from oauth_refresh_tokens)`;
}
