import { randomBytes } from 'node:crypto';
import type { BaseLogger } from 'pino';
import { monotonicFactory } from 'ulid';
import type { ControlDatabase } from '../../database/control-database.ts';
import type { Mailer } from '../mail/mailer.ts';
import { peopleCleanup } from './cleanup.ts';
import { ConnectionList } from './connections/connection-list.ts';
import type { Connections } from './connections.ts';
import { AttemptLimits } from './limits/attempt-limits.ts';
import { Outbox } from './mails/outbox.ts';
import { MembersService } from './members/members-service.ts';
import type { Members } from './people.ts';
import type { PeopleSettings } from './people-settings.ts';

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

/** What operators need: members and connections alone, without what signs people in. */
export interface OpenedMembers {
  readonly members: Members;
  readonly connections: Connections;
  /** Waits for mail under way. */
  close(): Promise<void>;
}

/** Who acts where nobody is named. */
export const SYSTEM = { operator: 'system' } as const;

/** Opens members and invitations on a control database that others use as well. */
export function openMembers(
  settings: Pick<PeopleSettings, 'publicUrl' | 'signUp' | 'limits'>,
  deps: OpenPeopleDeps,
): OpenedMembers {
  const { members: parts, close } = membersParts(deps);
  return {
    members: new MembersService({ settings, ...parts }, SYSTEM),
    connections: new ConnectionList(parts.audit, SYSTEM),
    close,
  };
}

/** What members and sign-in share. */
export function membersParts({
  database,
  mailer,
  log,
  clock = () => new Date(),
  random = randomBytes,
  onChange = () => {},
}: OpenPeopleDeps) {
  const audit = { database: database.kysely, clock, newId: monotonicFactory(), onChange };
  const cleanup = peopleCleanup(database.kysely, log);
  const limits = new AttemptLimits({ database: database.kysely, clock, onHit: (now) => cleanup.at(now) });
  const outbox = new Outbox(mailer, log);
  const close = async () => {
    await outbox.idle();
    await cleanup.close();
  };
  return { members: { audit, limits, outbox, random }, clock, cleanup, close };
}
