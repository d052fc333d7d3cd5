import { orUnavailable } from '../../database/database-errors.ts';
import { OAuthAuthorization } from './authorization.ts';
import { type Authorization, ConnectionList, type Connections } from './connections.ts';
import { MembersService } from './members-service.ts';
import { membersParts, type OpenPeopleDeps, SYSTEM } from './open-members.ts';
import type { Members, SignIn } from './people.ts';
import type { PeopleSettings } from './people-settings.ts';
import { createAuth } from './sign-in/auth.ts';
import { Links } from './sign-in/links.ts';
import { Passwords } from './sign-in/passwords.ts';
import { Sessions } from './sign-in/sessions.ts';
import { SignInService } from './sign-in/sign-in-service.ts';

/** Everything about people: who signs in, who belongs where, and what they connect. */
export interface People {
  readonly signIn: SignIn;
  /** Memberships and invitations, changed by nobody yet: name who acts with `as`. */
  readonly members: Members;
  /** Programs that ask for organizations, seen and ended by nobody yet: name who acts with `as`. */
  readonly connections: Connections;
  /** Connects them; undefined where none may be. */
  readonly authorization: Authorization | undefined;
  /** Waits for mail under way and for the clean-up. The control database and the mailer stay open. */
  close(): Promise<void>;
}

/** Opens people on a control database that others use as well. Rejects with `unavailable` where it does not answer. */
export async function openPeople(settings: PeopleSettings, deps: OpenPeopleDeps): Promise<People> {
  const { kysely: database } = deps.database;
  const { members: parts, clock, cleanup, close } = membersParts(deps);
  const { audit, limits, outbox, random } = parts;
  const links = new Links(settings, { database, limits, outbox, clock, auth: () => auth });
  const auth = createAuth(settings, {
    database: deps.database,
    newId: audit.newId,
    random: parts.random,
    log: deps.log,
    hooks: {
      onLink: links.onLink,
      maySignUp: (email) => links.maySignUp(email),
      firstOrganization: (personId) => sessions.firstOrganization(personId),
    },
  });
  await orUnavailable(() => auth.$context); // Keeps what tokens are for, where it is not there yet.
  const sessions = new Sessions({ auth, database, clock, onFind: (now) => cleanup.at(now) });
  const passwords = new Passwords(settings, { auth, database, limits, outbox, random, clock });
  return {
    signIn: new SignInService(settings, { auth, sessions, links, passwords, audit }),
    members: new MembersService({ settings, ...parts }, SYSTEM),
    connections: new ConnectionList(audit, SYSTEM),
    authorization: settings.connections && new OAuthAuthorization(settings, { auth, audit, limits }),
    close,
  };
}
