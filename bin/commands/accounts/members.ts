import type { Invitation } from '../../../api/accounts/people/invitations.ts';
import { type Member, ROLES } from '../../../api/accounts/people/people.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import {
  type AddCommand,
  argument,
  type CommandContext,
  choiceOf,
  commandGroup,
  defineCommand,
  fieldJson,
  flag,
  optionOr,
} from '../../cli/command.ts';
import { choiceValue } from '../../cli/option-values.ts';
import { withMembers } from '../../config/configured-people.ts';

const org = argument('id of the organization, org_…');
const email = argument('email address');
/** In the help `--json` comes before the role. */
const ROLE_OPTIONS = {
  json: flag('one JSON object on stdout'),
  role: choiceOf(ROLES, optionOr('member', '<role>', 'their rights', choiceValue(ROLES))),
};

const addMember = defineCommand({
  name: 'add',
  description: 'Add a member, or change their role',
  arguments: { org, email },
  options: ROLE_OPTIONS,
  examples: ['modelstats members add ID ada@example.com --role owner'],
  async run(context, { org: organizationId, email: address, role }) {
    const who = { organizationId, email: address, role };
    const memberships = await import('../../../api/accounts/people/memberships.ts');
    const member = await withMembers(context, (changes) => memberships.addMember(who, changes));
    const next = 'they sign in with a link sent to this address';
    context.printResult(jsonFromMember(organizationId, member), () => `${tableOfMembers(context, [member])}\n${next}`);
    return 0;
  },
});

/** Used for two commands. */
export function memberList({ name, example }: { readonly name: string; readonly example: string }): AddCommand {
  return defineCommand({
    name,
    description: 'List the members of an organization and its open invitations',
    arguments: { org },
    examples: [example],
    async run(context, { org: organizationId }) {
      const memberships = await import('../../../api/accounts/people/memberships.ts');
      const openInvitations = await import('../../../api/accounts/people/invitations.ts');
      const [found, invitations] = await withMembers(context, async (changes) => [
        await memberships.listMembers(organizationId, changes),
        await openInvitations.listInvitations(organizationId, changes),
      ]);
      const none = `no members yet; add one with: modelstats members add ${organizationId} EMAIL --role owner`;
      const json = found.map((member) => jsonFromMember(organizationId, member));
      context.printResult({ members: json, invitations: invitations.map(jsonFromInvitation) }, () =>
        [
          found.length === 0 ? none : tableOfMembers(context, found),
          ...(invitations.length === 0 ? [] : [tableOfInvitations(context, invitations)]),
        ].join('\n'),
      );
      return 0;
    },
  });
}

const removeMember = defineCommand({
  name: 'remove',
  description: 'Remove a member; the last owner stays',
  arguments: { org, email },
  examples: ['modelstats members remove ID bob@example.com'],
  async run(context, { org: organizationId, email: address }) {
    const memberships = await import('../../../api/accounts/people/memberships.ts');
    const removed = await withMembers(context, async (changes) => {
      const { person } = getByEmail(await memberships.listMembers(organizationId, changes), organizationId, address);
      return memberships.removeMember({ organizationId, personId: person.id }, changes);
    });
    const message = `${removed.person.email} is no longer a member of ${organizationId}`;
    context.printResult(jsonFromMember(organizationId, removed), message);
    return 0;
  },
});

const inviteMember = defineCommand({
  name: 'invite',
  description: 'Invite a person by mail',
  arguments: { org, email },
  options: ROLE_OPTIONS,
  examples: ['modelstats members invite ID bob@example.com'],
  async run(context, { org: organizationId, email: address, role }) {
    const who = { organizationId, email: address, role };
    const openInvitations = await import('../../../api/accounts/people/invitations.ts');
    const invitation = await withMembers(context, (changes, parts) => openInvitations.invite(who, changes, parts));
    context.printResult(jsonFromInvitation(invitation), () => tableOfInvitations(context, [invitation]));
    if (!invitation.isMailed)
      context.log(
        `no mail was sent: ${address} got too many invitations; after signing in, the person finds this one under “You”`,
      );
    return 0;
  },
});

const revokeInvitation = defineCommand({
  name: 'revoke',
  description: 'Revoke the open invitation of an address',
  arguments: { org, email },
  examples: ['modelstats members revoke ID bob@example.com'],
  async run(context, { org: organizationId, email: address }) {
    const openInvitations = await import('../../../api/accounts/people/invitations.ts');
    const revoked = await withMembers(context, async (changes) => {
      const open = await openInvitations.listInvitations(organizationId, changes);
      const found = open.find((invitation) => invitation.email === address.trim().toLowerCase());
      if (found === undefined) throw new AppError('usage', `${address} has no open invitation to ${organizationId}`);
      return openInvitations.revokeInvitation({ organizationId, invitationId: found.id }, changes);
    });
    context.printResult(jsonFromInvitation(revoked), `revoked the invitation of ${revoked.email}`);
    return 0;
  },
});

const removePassword = defineCommand({
  name: 'remove-password',
  description: 'Remove a forgotten password and end the sessions of its owner',
  arguments: { email },
  examples: ['modelstats members remove-password ada@example.com'],
  async run(context, { email: address }) {
    const passwords = await import('../../../api/accounts/people/sign-in/stored-password.ts');
    const person = await withMembers(context, (changes, parts) => passwords.removePassword(address, changes, parts));
    context.printResult(
      { person_id: person.id, email: person.email },
      `${person.email} no longer has a password or a session; they can sign in with a link and set a new password`,
    );
    return 0;
  },
});

export const members = commandGroup('members', 'Manage the members of an organization', [
  addMember,
  memberList({ name: 'list', example: 'modelstats members list ID' }),
  removeMember,
  inviteMember,
  revokeInvitation,
  removePassword,
]);

function getByEmail(known: readonly Member[], organizationId: string, address: string): Member {
  const normalized = address.trim().toLowerCase();
  const member = known.find(({ person }) => person.email === normalized);
  if (member === undefined) throw new AppError('usage', `${address} is not a member of ${organizationId}`);
  return member;
}

function jsonFromMember(organizationId: string, { person, role: held, since }: Member) {
  return {
    organization_id: organizationId,
    person_id: person.id,
    email: person.email,
    role: held,
    since: timestampFromDate(since),
  };
}

function jsonFromInvitation(invitation: Invitation) {
  const fields = ['id', 'organizationId', 'email', 'role', 'invitedBy', 'createdAt', 'expiresAt'] as const;
  return fieldJson(invitation, fields);
}

function tableOfMembers({ tableText }: CommandContext, found: readonly Member[]): string {
  const rows = found.map(({ person, role: held, since }) => [person.id, person.email, held, since]);
  return tableText(['ID', 'address', 'role', 'since'], rows);
}

function tableOfInvitations({ tableText }: CommandContext, found: readonly Invitation[]): string {
  const head = ['invitation', 'address', 'role', 'invited by', 'expires'];
  const rows = found.map((one) => [one.id, one.email, one.role, one.invitedBy, one.expiresAt]);
  return tableText(head, rows);
}
