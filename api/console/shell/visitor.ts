/** Who asks the console for something, and what is known of them. */
import type { Origin, PersonActor } from '../../accounts/actor.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Organization } from '../../accounts/organizations/organizations.ts';
import type { Membership, Role, Session } from '../../accounts/people/people.ts';
import type { Capability } from '../../data/access/rights.ts';
import type { FormValues } from './answer.ts';

/** A request of anybody. */
export interface Visitor {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** What a form said; empty for a page. */
  readonly form: FormValues;
  /** Path and query, as asked for. */
  readonly url: string;
  readonly cookies: string | undefined;
  /** From where it comes, for the audit log. */
  readonly origin: Origin;
  /** `https://host/prefix` of the service. */
  readonly baseUrl: string;
  /** The console's path, such as `/stats/console`. */
  readonly root: string;
  /** For the forms of the page: proves that they are ours. */
  readonly token: string;
  /** Undefined for a stranger. */
  readonly session: Session | undefined;
  readonly now: Date;
}

/** What the pages of somebody who is signed in are made of. */
export interface PersonPages extends Visitor {
  readonly session: Session;
  /** The session's person, for whom its forms act. */
  readonly actor: PersonActor;
  readonly memberships: readonly Membership[];
}

/** What the pages of an organization are made of, for one of its members. */
export interface OrganizationPages extends PersonPages {
  readonly organization: Organization;
  readonly role: Role;
  /** Whether a capability is there for it. */
  readonly offers: (capability: Capability) => boolean;
  /** The organization's path, such as `/stats/console/orgs/org_…`. */
  readonly path: string;
}

/** An organization as the API's rules know whoever asks; it asks here without a key. */
export function callerOf({ id, terms }: Organization): Caller {
  return { organizationId: id, credentialId: '', terms, clientSource: 'api_key' };
}
