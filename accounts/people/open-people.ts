import { MembersService } from './members/members-service.ts';
import { membersParts, type OpenPeopleDeps, SYSTEM } from './open-members.ts';
import type { People } from './people.ts';
import type { PeopleSettings } from './people-settings.ts';
import { createAuth } from './sign-in/auth.ts';
import { Links } from './sign-in/links.ts';
import { Passwords } from './sign-in/passwords.ts';
import { Sessions } from './sign-in/sessions.ts';
import { SignInService } from './sign-in/sign-in-service.ts';

/** Opens people on a control database that others use as well. Nothing is read or written before somebody asks. */
export function openPeople(settings: PeopleSettings, deps: OpenPeopleDeps): People {
  const { kysely: database } = deps.database;
  const { members: parts, clock, cleanup, close } = membersParts(deps);
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
