import Table from 'cli-table3';
import type { AuditedChanges } from '../../../api/accounts/audit.ts';
import * as openInvitations from '../../../api/accounts/people/invitations.ts';
import * as memberships from '../../../api/accounts/people/memberships.ts';
import type { Invitation, Member, Role } from '../../../api/accounts/people/people.ts';
import * as passwords from '../../../api/accounts/people/sign-in/stored-password.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { withMembers } from '../../config/accounts/configured-people.ts';

export interface MemberOptions {
  readonly org: string;
  readonly email: string;
  readonly json?: boolean;
}

export interface AddMemberOptions extends MemberOptions {
  readonly role: Role;
}

export interface ListMembersOptions {
  readonly org: string;
  readonly json?: boolean;
}

export interface RemovePasswordOptions {
  readonly email: string;
  readonly json?: boolean;
}

/** `modelstats members add ORG EMAIL`: makes somebody a member, and a person where there is none; of a member changes the role. */
export async function addMember(
  context: CommandContext,
  { org, email, role, json }: AddMemberOptions,
): Promise<number> {
  const member = await withMembers(context, (changes) =>
    memberships.addMember({ organizationId: org, email, role }, changes),
  );
  const next = 'they sign in with a link that is mailed to this address';
  context.print(json ? JSON.stringify(jsonFromMember(org, member)) : `${tableOfMembers([member])}\n${next}`);
  return 0;
}

/** `modelstats members list ORG`, which is also `modelstats orgs members ORG`: the members and the open invitations. */
export async function listMembers(context: CommandContext, { org, json }: ListMembersOptions): Promise<number> {
  const { members, invitations } = await withMembers(context, async (changes) => ({
    members: await memberships.listMembers(org, changes),
    invitations: await openInvitations.listInvitations(org, changes),
  }));
  if (json) {
    const listed = members.map((member) => jsonFromMember(org, member));
    context.print(JSON.stringify({ members: listed, invitations: invitations.map(jsonFromInvitation) }));
    return 0;
  }
  const none = `no members yet; add one with: modelstats members add ${org} EMAIL --role owner`;
  context.print(members.length === 0 ? none : tableOfMembers(members));
  if (invitations.length > 0) context.print(tableOfInvitations(invitations));
  return 0;
}

/** `modelstats members remove ORG EMAIL`. */
export async function removeMember(context: CommandContext, { org, email, json }: MemberOptions): Promise<number> {
  const removed = await withMembers(context, async (changes) => {
    const { person } = await getByEmail(changes, org, email);
    return memberships.removeMember({ organizationId: org, personId: person.id }, changes);
  });
  if (json) context.print(JSON.stringify(jsonFromMember(org, removed)));
  else context.print(`${removed.person.email} does not belong to ${org} any more`);
  return 0;
}

/** `modelstats members invite ORG EMAIL`: sends an invitation by mail. */
export async function inviteMember(
  context: CommandContext,
  { org, email, role, json }: AddMemberOptions,
): Promise<number> {
  const invitation = await withMembers(context, (changes, parts) =>
    openInvitations.invite({ organizationId: org, email, role }, changes, parts),
  );
  context.print(json ? JSON.stringify(jsonFromInvitation(invitation)) : tableOfInvitations([invitation]));
  if (!invitation.isMailed)
    context.log(
      `no mail was sent: ${email} was sent too many invitations; whoever signs in with it finds this one under “You”`,
    );
  return 0;
}

/** `modelstats members revoke ORG EMAIL`: takes back the open invitation of this address. */
export async function revokeInvitation(context: CommandContext, { org, email, json }: MemberOptions): Promise<number> {
  const revoked = await withMembers(context, async (changes) => {
    const open = await openInvitations.listInvitations(org, changes);
    const wanted = open.find((invitation) => invitation.email === email.trim().toLowerCase());
    if (wanted === undefined) throw new AppError('usage', `${email} has no open invitation of ${org}`);
    return openInvitations.revokeInvitation({ organizationId: org, invitationId: wanted.id }, changes);
  });
  if (json) context.print(JSON.stringify(jsonFromInvitation(revoked)));
  else context.print(`the invitation of ${revoked.email} is taken back`);
  return 0;
}

/** `modelstats members remove-password EMAIL`: for who has forgotten it; ends their sessions. */
export async function removePassword(context: CommandContext, { email, json }: RemovePasswordOptions): Promise<number> {
  const person = await withMembers(context, (changes, parts) => passwords.removePassword(email, changes, parts));
  if (json) context.print(JSON.stringify({ person_id: person.id, email: person.email }));
  else context.print(`${person.email} has no password and no session any more; a link lets them set another one`);
  return 0;
}

async function getByEmail(changes: AuditedChanges, org: string, email: string): Promise<Member> {
  const wanted = email.trim().toLowerCase();
  const member = (await memberships.listMembers(org, changes)).find(({ person }) => person.email === wanted);
  if (member === undefined) throw new AppError('usage', `${email} does not belong to ${org}`);
  return member;
}

function jsonFromMember(org: string, { person, role, since }: Member) {
  return {
    organization_id: org,
    person_id: person.id,
    email: person.email,
    role,
    since: timestampFromDate(since),
  };
}

function jsonFromInvitation(invitation: Invitation) {
  const { id, organizationId, email, role, invitedBy, createdAt, expiresAt } = invitation;
  return {
    id,
    organization_id: organizationId,
    email,
    role,
    invited_by: invitedBy,
    created_at: timestampFromDate(createdAt),
    expires_at: timestampFromDate(expiresAt),
  };
}

function tableOfMembers(members: readonly Member[]): string {
  const table = new Table({ head: ['ID', 'address', 'role', 'since'], style: { head: [], border: [] } });
  for (const { person, role, since } of members) table.push([person.id, person.email, role, timestampFromDate(since)]);
  return table.toString();
}

function tableOfInvitations(invitations: readonly Invitation[]): string {
  const head = ['invitation', 'address', 'role', 'invited by', 'good until'];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const { id, email, role, invitedBy, expiresAt } of invitations)
    table.push([id, email, role, invitedBy, timestampFromDate(expiresAt)]);
  return table.toString();
}
