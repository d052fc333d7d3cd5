import { orUnavailable } from '../../database/database-errors.ts';
import { OAuthAuthorization } from './oauth-authorization.ts';
import { type OpenedMembers, type OpenPeopleDeps, openMembers } from './open-members.ts';
import type { PeopleSettings } from './people.ts';
import { type Auth, createAuth } from './sign-in/auth.ts';
import { Links } from './sign-in/links.ts';
import { Passwords } from './sign-in/passwords.ts';
import { Sessions } from './sign-in/sessions.ts';

/** Sign-in, memberships and connections. */
export interface People extends OpenedMembers {
  readonly settings: Omit<PeopleSettings, 'secret'>;
  readonly links: Links;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  /** Undefined if programs can't be connected. */
  readonly authorization: OAuthAuthorization | undefined;
}

/** Rejects with `unavailable`. */
export async function openPeople(settings: PeopleSettings, deps: OpenPeopleDeps): Promise<People> {
  const { clock = () => new Date() } = deps;
  const members = openMembers(settings, deps);
  const parts = { ...members, database: deps.database.kysely, clock };
  const links = new Links(settings, { ...parts, auth: () => auth, sessions: () => sessions });
  const auth: Auth = createAuth(settings, {
    database: deps.database,
    log: deps.log,
    hooks: {
      onLink: links.onLink,
      maySignUp: (email) => links.maySignUp(email),
      firstOrganization: (personId) => sessions.firstOrganization(personId),
    },
  });
  await orUnavailable(() => auth.$context); // Stores the resource of tokens if it is missing.
  const sessions = new Sessions({ ...parts, auth });
  return {
    ...members,
    settings,
    links,
    passwords: new Passwords(settings, { ...parts, auth, links, sessions }),
    sessions,
    authorization: settings.connections && new OAuthAuthorization(settings, { ...parts, auth }),
  };
}
