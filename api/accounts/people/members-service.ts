import { type AuditDeps, AuditedChanges } from '../audit.ts';
import type { Outbox } from '../mail/outbox.ts';
import type { Organization } from '../organizations/organizations.ts';
import type { AttemptLimits } from './attempt-limits.ts';
import {
  acceptInvitation,
  findInvitation,
  type InvitationsDeps,
  invite,
  listInvitations,
  listOwnInvitations,
  revokeInvitation,
} from './invitations.ts';
import { addMember, changeRole, listMembers, listMemberships, removeMember } from './memberships.ts';
import { createOwnOrganization } from './own-organization.ts';
import type { Actor, Invitation, Member, Members, Membership, Origin, Person, Role, SentInvitation } from './people.ts';
import type { PeopleSettings } from './people-settings.ts';
import { nameOf } from './rights.ts';
import { removePasswordOf } from './sign-in/stored-password.ts';

export interface MembersServiceDeps {
  readonly settings: Pick<PeopleSettings, 'publicUrl' | 'signUp' | 'limits'>;
  readonly audit: AuditDeps;
  readonly limits: AttemptLimits;
  readonly outbox: Outbox;
  readonly random: (bytes: number) => Uint8Array;
}

/** Who belongs to which organization (specification "Members"); what a method does is told in people.ts. */
export class MembersService implements Members {
  readonly #deps: MembersServiceDeps;
  /** The same, with who acts. */
  readonly #acting: InvitationsDeps;

  constructor(deps: MembersServiceDeps, actor: Actor, origin?: Origin) {
    this.#deps = deps;
    const changes = new AuditedChanges(deps.audit, nameOf(actor), origin?.address ?? null);
    const { settings, limits, outbox, random } = deps;
    this.#acting = { actor, changes, settings, limits, outbox, random };
  }

  as(actor: Actor, origin?: Origin): Members {
    return new MembersService(this.#deps, actor, origin);
  }

  listMemberships(personId: string): Promise<readonly Membership[]> {
    return listMemberships(personId, this.#acting);
  }

  listMembers(organizationId: string): Promise<readonly Member[]> {
    return listMembers(organizationId, this.#acting);
  }

  async addMember(of: {
    readonly organizationId: string;
    readonly email: string;
    readonly role: Role;
  }): Promise<Member> {
    return addMember(of, this.#acting);
  }

  changeRole(of: { readonly organizationId: string; readonly personId: string; readonly role: Role }): Promise<Member> {
    return changeRole(of, this.#acting);
  }

  removeMember(of: { readonly organizationId: string; readonly personId: string }): Promise<Member> {
    return removeMember(of, this.#acting);
  }

  invite(of: {
    readonly organizationId: string;
    readonly email: string;
    readonly role: Role;
  }): Promise<SentInvitation> {
    return invite(of, this.#acting);
  }

  listInvitations(organizationId: string): Promise<readonly Invitation[]> {
    return listInvitations(organizationId, this.#acting);
  }

  revokeInvitation(of: { readonly organizationId: string; readonly invitationId: string }): Promise<Invitation> {
    return revokeInvitation(of, this.#acting);
  }

  listOwnInvitations(): Promise<readonly Invitation[]> {
    return listOwnInvitations(this.#acting);
  }

  findInvitation(token: string): Promise<Invitation | undefined> {
    return findInvitation(token, this.#acting);
  }

  async acceptInvitation(token: string): Promise<Membership> {
    return acceptInvitation(token, this.#acting);
  }

  async removePassword(email: string): Promise<Person> {
    return removePasswordOf(email, this.#acting);
  }

  async createOwnOrganization(name: string): Promise<Organization> {
    return createOwnOrganization(name, this.#acting, this.#deps.settings);
  }
}
