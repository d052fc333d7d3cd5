import { randomBytes } from 'node:crypto';
import type { BaseLogger } from 'pino';
import { monotonicFactory } from 'ulid';
import type { ControlDatabase } from '../../database/control-database.ts';
import type { Mailer } from '../mail/mailer.ts';
import { peopleCleanup } from './cleanup.ts';
import { AttemptLimits } from './limits/attempt-limits.ts';
import { Outbox } from './mails/outbox.ts';
import { MembersService } from './members/members-service.ts';
import type { Members, People } from './people.ts';
import type { PeopleSettings } from './people-settings.ts';
import { createAuth } from './sign-in/auth.ts';
import { Links } from './sign-in/links.ts';
import { Passwords } from './sign-in/passwords.ts';
import { Sessions } from './sign-in/sessions.ts';
import { SignInService } from './sign-in/sign-in-service.ts';

export interface OpenPeopleDeps {
  readonly database: ControlDatabase;
  /** Sends links and invitations. Closed by who opened it, after the people. */
  readonly mailer: Mailer;
  readonly log: Pick<BaseLogger, 'warn'>;
  /** Sessions and links are timed by better-auth, which reads the system's clock whatever this says. */
  readonly clock?: () => Date;
  readonly random?: (bytes: number) => Uint8Array;
}

/** What operators need: members alone, without what signs people in. */
export interface OpenedMembers {
  readonly members: Members;
  /** Waits for mail under way. */
  close(): Promise<void>;
}

/** Who acts where nobody is named. */
const SYSTEM = { operator: 'system' } as const;

/** Opens members and invitations on a control database that others use as well. */
export function openMembers(
  settings: Pick<PeopleSettings, 'publicUrl' | 'signUp' | 'limits'>,
  deps: OpenPeopleDeps,
): OpenedMembers {
  const { members: parts, close } = sharedParts(deps);
  return { members: new MembersService({ settings, ...parts }, SYSTEM), close };
}

/** Opens people on a control database that others use as well. Nothing is read or written before somebody asks. */
export function openPeople(settings: PeopleSettings, deps: OpenPeopleDeps): People {
  const { kysely: database } = deps.database;
  const { members: parts, clock, cleanup, close } = sharedParts(deps);
  const { audit, limits, outbox } = parts;
  const links = new Links(settings, { database, limits, outbox, clock, auth: () => auth });
  const auth = createAuth(settings, {
    database: deps.database,
    newId: audit.newId,
    log: deps.log,
    hooks: {
      onLink: links.onLink,
      maySignUp: (email) => links.maySignUp(email),
      firstOrganization: (personId) => sessions.firstOrganization(personId),
    },
  });
  const sessions = new Sessions({ auth, database, clock, onFind: (now) => cleanup.at(now) });
  const passwords = new Passwords(settings, { auth, database, limits });
  return {
    signIn: new SignInService(settings, { auth, sessions, links, passwords, audit }),
    members: new MembersService({ settings, ...parts }, SYSTEM),
    close,
  };
}

function sharedParts({ database, mailer, log, clock = () => new Date(), random = randomBytes }: OpenPeopleDeps) {
  const audit = { database: database.kysely, clock, newId: monotonicFactory() };
  const cleanup = peopleCleanup(database.kysely, log);
  const limits = new AttemptLimits({ database: database.kysely, clock, onHit: (now) => cleanup.at(now) });
  const outbox = new Outbox(mailer, log);
  const close = async () => {
    await outbox.idle();
    await cleanup.close();
  };
  return { members: { audit, limits, outbox, random }, clock, cleanup, close };
}
