import type { JSX } from 'preact';
import { z } from 'zod';
import { type Invitation, invite, listInvitations, revokeInvitation } from '../../accounts/people/invitations.ts';
import { changeRole, listMembers, removeMember } from '../../accounts/people/memberships.ts';
import { type Member, ROLES } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { Choice, Confirmed, Field, Form, Problems } from '../shell/fields.tsx';
import { Badge, Done, Instant, Pager, partOf, Section, Table } from '../shell/parts.tsx';
import { formPage, NO_FIELDS, redirect, requiredText } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';

/** Per page. */
const MEMBERS_SHOWN = 30;

const InvitationForm = z.object({
  email: requiredText('Enter an address.', 254, 'This address is too long.'),
  role: z.enum(ROLES).default('member'),
});
const RoleForm = z.object({ role: z.enum(ROLES) });

const ROLE_CHOICES = [
  { value: 'member', label: 'member' },
  { value: 'owner', label: 'owner' },
] as const;

const A_ROLE = { member: 'a member', owner: 'an owner' } as const;

const DONE = {
  invited: 'The invitation was sent. It is valid for 7 days.',
  waiting:
    'The invitation is valid for 7 days. No mail was sent, because this address got too many invitations: ask the person to sign in here and to accept it under “You”.',
  role: 'The role was changed.',
  removed: 'The member was removed.',
  withdrawn: 'The invitation was withdrawn.',
};

/** Shown to all members, changed by owners. */
export function membersRoutes({ people }: Pick<PageDeps, 'people'>): readonly OrganizationRoute[] {
  const show = async (pages: OrganizationPages) => {
    const { id } = pages.organization;
    const changes = people.as(pages.actor);
    const [list, invitations] = await Promise.all([listMembers(id, changes), listInvitations(id, changes)]);
    const body = <MembersPage pages={pages} members={list} invitations={invitations} />;
    return formPage('Members', body, pages);
  };
  /** Redirects to the page with a confirmation. */
  const back = ({ path }: OrganizationPages, done: string) => redirect(`${path}/members?done=${done}`);
  return [
    forMembers.page('/members', show),
    forMembers.form('/members/invite', {
      isForOwners: true,
      fields: InvitationForm,
      show,
      work: async (pages, { email, role }) => {
        const invitation = { organizationId: pages.organization.id, email, role };
        const { isMailed } = await invite(invitation, people.as(pages.actor), people);
        return back(pages, isMailed ? 'invited' : 'waiting');
      },
    }),
    forMembers.form('/members/:person/role', {
      isForOwners: true,
      fields: RoleForm,
      show,
      work: async (pages, { role }) => {
        const { organization, params, actor } = pages;
        const member = { organizationId: organization.id, personId: params['person'] ?? '', role };
        await changeRole(member, people.as(actor));
        return back(pages, 'role');
      },
    }),
    forMembers.form('/members/:person/remove', {
      fields: NO_FIELDS,
      show,
      work: async (pages) => {
        const personId = pages.params['person'] ?? '';
        await removeMember({ organizationId: pages.organization.id, personId }, people.as(pages.actor));
        // After leaving, a person has no access to the page.
        return personId === pages.session.person.id ? redirect(`${pages.root}/`) : back(pages, 'removed');
      },
    }),
    forMembers.form('/invitations/:invitation/withdraw', {
      isForOwners: true,
      fields: NO_FIELDS,
      show,
      work: async (pages) => {
        const { organization, params, actor } = pages;
        const of = { organizationId: organization.id, invitationId: params['invitation'] ?? '' };
        await revokeInvitation(of, people.as(actor));
        return back(pages, 'withdrawn');
      },
    }),
  ];
}

interface MembersPageProps {
  readonly pages: OrganizationPages;
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
}

function MembersPage({ pages, members, invitations }: MembersPageProps): JSX.Element {
  const { path, token, role, query } = pages;
  const part = partOf(members, { query, size: MEMBERS_SHOWN });
  return (
    <>
      <h1>Members</h1>
      <Done query={query} texts={DONE} />
      <Problems of={pages} />
      <Section title="Current members">
        <Table
          caption="Members"
          columns={[['Email', 'head'], 'Role', 'Since', ['', 'actions']]}
          rows={part.shown.map((member) => memberCells(member, pages))}
          empty="Nobody."
        />
        <Pager label="More members" here={`${path}/members`} part={part} before="Previous" after="More" />
        <p class="hint">
          Members see everything and manage keys and webhooks. Owners also manage members and read the audit log.
        </p>
      </Section>
      {role === 'owner' && (
        <Section title="Invite a member">
          <Form action={`${path}/members/invite`} token={token} className="form row">
            <Field label="Email address" name="email" type="email" of={pages} autocomplete="off" />
            <Choice label="As" name="role" options={ROLE_CHOICES} />
            <button type="submit">Send an invitation</button>
          </Form>
        </Section>
      )}
      <Section title="Open invitations">
        <Table
          caption="Open invitations"
          columns={[['Email', 'head'], 'Role', 'By', 'Until', ['', 'actions']]}
          rows={invitations.map((invitation) => invitationCells(invitation, pages))}
          empty="None."
        />
      </Section>
    </>
  );
}

function memberCells({ person, role, since }: Member, pages: OrganizationPages) {
  const { path, token, session } = pages;
  const isOwner = pages.role === 'owner';
  const isSelf = person.id === session.person.id;
  const other = role === 'owner' ? 'member' : 'owner';
  return [
    <>
      <span>{person.email}</span> {isSelf && <Badge kind="plain" text="you" />}
    </>,
    role,
    <Instant at={since} />,
    <>
      {isOwner && (
        <Confirmed
          label={`Make ${A_ROLE[other]}`}
          question={`Make ${person.email} ${A_ROLE[other]}?`}
          action={`${path}/members/${person.id}/role`}
          token={token}
          fields={{ role: other }}
        />
      )}
      {(isOwner || isSelf) && (
        <Confirmed
          label={isSelf ? 'Leave' : 'Remove'}
          question={
            isSelf
              ? 'Leave this organization? Only an owner can invite you again.'
              : `Remove ${person.email} from this organization? Keys stay as they are.`
          }
          action={`${path}/members/${person.id}/remove`}
          token={token}
        />
      )}
    </>,
  ];
}

function invitationCells(invitation: Invitation, { path, token, role }: OrganizationPages) {
  const { id, email, invitedBy, expiresAt } = invitation;
  return [
    email,
    invitation.role,
    invitedBy.replace(/^person:/, ''),
    <Instant at={expiresAt} />,
    role === 'owner' && (
      <Confirmed
        label="Withdraw"
        question={`Withdraw the invitation of ${email}?`}
        action={`${path}/invitations/${id}/withdraw`}
        token={token}
      />
    ),
  ];
}
