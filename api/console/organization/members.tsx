import type { JSX } from 'preact';
import { z } from 'zod';
import { type Invitation, invite, listInvitations, revokeInvitation } from '../../accounts/people/invitations.ts';
import { changeRole, listMembers, removeMember } from '../../accounts/people/memberships.ts';
import { type Member, ROLES } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { Choice, Confirmed, Field, Form, Problems } from '../shell/fields.tsx';
import { Badge, Done, Instant, Pager, partOf, Section, Table } from '../shell/parts.tsx';
import { formPage, NO_FIELDS, neededText, redirect } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';

/** Members of a page, each with forms. */
const MEMBERS_SHOWN = 30;

const InvitationForm = z.object({
  email: neededText('Say an address.', 254, 'This is too long for an address.'),
  role: z.enum(ROLES).default('member'),
});
const RoleForm = z.object({ role: z.enum(ROLES) });

const ROLE_CHOICES = [
  { value: 'member', label: 'member' },
  { value: 'owner', label: 'owner' },
] as const;

const A_ROLE = { member: 'a member', owner: 'an owner' } as const;

const DONE = {
  invited: 'The invitation is on its way. It is good for 7 days.',
  waiting:
    'The invitation is open for 7 days. No mail was sent, because this address was sent too many invitations: tell them to sign in here, where they find it under “You”.',
  role: 'The role was changed.',
  removed: 'They do not belong to the organization any more.',
  withdrawn: 'The invitation was withdrawn.',
};

/** Who belongs to an organization; changed by owners, seen by all members. */
export function membersRoutes({ people }: Pick<PageDeps, 'people'>): readonly OrganizationRoute[] {
  const show = async (pages: OrganizationPages) => {
    const { id } = pages.organization;
    const changes = people.as(pages.actor);
    const [list, invitations] = await Promise.all([listMembers(id, changes), listInvitations(id, changes)]);
    const body = <MembersPage pages={pages} members={list} invitations={invitations} />;
    return formPage('Members', body, pages);
  };
  /** Sends back to the page, which says what was done. */
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
        // Whoever has left sees no page of it any more.
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
      <Section title="Who belongs here">
        <Table
          caption="Members"
          columns={[['E-mail', 'head'], 'Role', 'Since', ['', 'actions']]}
          rows={part.shown.map((member) => memberCells(member, pages))}
          empty="Nobody."
        />
        <Pager label="More members" here={`${path}/members`} part={part} before="Those before" after="More" />
        <p class="hint">
          Members see everything and look after keys and webhooks. Owners also decide who belongs here, and read the
          audit log.
        </p>
      </Section>
      {role === 'owner' && (
        <Section title="Invite somebody">
          <Form action={`${path}/members/invite`} token={token} className="form row">
            <Field label="E-mail address" name="email" type="email" of={pages} autocomplete="off" />
            <Choice label="As" name="role" options={ROLE_CHOICES} />
            <button type="submit">Send an invitation</button>
          </Form>
        </Section>
      )}
      <Section title="Open invitations">
        <Table
          caption="Open invitations"
          columns={[['E-mail', 'head'], 'Role', 'By', 'Until', ['', 'actions']]}
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
