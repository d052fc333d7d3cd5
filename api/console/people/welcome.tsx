import type { JSX } from 'preact';
import { z } from 'zod';
import { isAppError } from '../../../runtime/errors.ts';
import {
  acceptInvitation,
  findInvitation,
  type Invitation,
  listOwnInvitations,
} from '../../accounts/people/invitations.ts';
import { createOwnOrganization } from '../../accounts/people/memberships.ts';
import { CONSOLE_PATHS } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { type ConsoleAnswer, type FormProblems, formPage, page, redirect, textOf } from '../shell/answer.ts';
import { Field, Form, Problems } from '../shell/fields.tsx';
import { Instant, Section, Table } from '../shell/parts.tsx';
import { type PersonRoute, personForm } from '../shell/routes.ts';
import type { PersonPages } from '../shell/visitor.ts';
import { below } from './link-pages.tsx';

const OrganizationForm = z.object({
  name: z.string({ error: 'Say a name.' }).trim().min(1, 'Say a name.').max(100, 'At most 100 characters.'),
});

/** Where somebody begins: their first page, an organization of their own, an invitation. */
export function welcomeRoutes({ people }: Pick<PageDeps, 'people'>): readonly PersonRoute[] {
  const showWelcome = async (pages: PersonPages, problems?: FormProblems) => {
    const invitations = await listOwnInvitations(people.as(pages.actor));
    return people.settings.signUp === 'open'
      ? formPage(
          'New organization',
          <WelcomePage pages={pages} invitations={invitations} problems={problems} />,
          problems,
        )
      : page('Organizations', <InvitedPage pages={pages} invitations={invitations} />);
  };
  return [
    {
      kind: 'person',
      method: 'GET',
      path: '/',
      answer: ({ root, session, memberships }) => {
        const chosen = session.organizationId ?? memberships[0]?.organizationId;
        return redirect(chosen === undefined ? `${root}/welcome` : `${root}/orgs/${chosen}`);
      },
    },
    { kind: 'person', method: 'GET', path: '/welcome', answer: (pages) => showWelcome(pages) },
    personForm({
      path: '/welcome',
      fields: OrganizationForm,
      show: showWelcome,
      work: async (pages, { name }) => {
        const { id } = await createOwnOrganization(name, people.as(pages.actor), people);
        return redirect(`${pages.root}/orgs/${id}`);
      },
    }),
    {
      kind: 'person',
      method: 'GET',
      path: below(CONSOLE_PATHS.invitation),
      answer: async (pages) =>
        showInvitation(pages, await findInvitation(pages.query['token'] ?? '', people.as(pages.actor))),
    },
    {
      kind: 'person',
      method: 'POST',
      path: below(CONSOLE_PATHS.invitation),
      answer: async (pages) => {
        try {
          const { organizationId } = await acceptInvitation(textOf(pages.form, 'token'), people.as(pages.actor));
          return redirect(`${pages.root}/orgs/${organizationId}`);
        } catch (error) {
          if (isAppError(error, 'not_found') || isAppError(error, 'usage')) return showInvitation(pages, undefined);
          throw error;
        }
      },
    },
  ];
}

function showInvitation(pages: PersonPages, invitation: Invitation | undefined): ConsoleAnswer {
  // An invitation for somebody else is none for whoever is signed in.
  if (invitation === undefined || invitation.email !== pages.session.person.email)
    return page('This invitation is over', <NoInvitation email={pages.session.person.email} />, { status: 410 });
  return page('Invitation', <InvitationPage pages={pages} invitation={invitation} />);
}

function WelcomePage({
  pages,
  invitations,
  problems,
}: {
  readonly pages: PersonPages;
  readonly invitations: readonly Invitation[];
  readonly problems: FormProblems | undefined;
}): JSX.Element {
  const { root, token, form, memberships } = pages;
  return (
    <div class="narrow">
      <h1>{memberships.length === 0 ? 'Welcome' : 'New organization'}</h1>
      <OwnInvitations pages={pages} invitations={invitations} />
      <p>
        Keys, usage and webhooks belong to an organization. Name yours; it begins on the Community plan, which is free.
      </p>
      <Problems problems={problems} />
      <Form action={`${root}/welcome`} token={token}>
        <Field
          label="Name of the organization"
          name="name"
          values={form}
          problems={problems}
          maxlength={100}
          autocomplete="organization"
        />
        <button type="submit">Create the organization</button>
      </Form>
    </div>
  );
}

/** Where nobody makes an organization alone. */
function InvitedPage({
  pages,
  invitations,
}: {
  readonly pages: PersonPages;
  readonly invitations: readonly Invitation[];
}): JSX.Element {
  const { memberships, session } = pages;
  return (
    <div class="narrow">
      <h1>Organizations</h1>
      <OwnInvitations pages={pages} invitations={invitations} />
      {memberships.length === 0 && (
        <p>{`${session.person.email} belongs to no organization, and everything here belongs to one.`}</p>
      )}
      <p>
        Organizations are made by the operator here. To join one, ask one of its owners to invite your address, and
        follow the link that comes by mail.
      </p>
    </div>
  );
}

function InvitationPage({
  pages,
  invitation,
}: {
  readonly pages: PersonPages;
  readonly invitation: Invitation;
}): JSX.Element {
  return (
    <div class="narrow">
      <h1>{`Join ${invitation.organizationName}?`}</h1>
      <p>{`${pages.session.person.email} was invited as ${invitation.role === 'owner' ? 'an owner' : 'a member'}.`}</p>
      <p>
        The invitation ends on <Instant at={invitation.expiresAt} />.
      </p>
      <Form action={pages.root + below(CONSOLE_PATHS.invitation)} token={pages.token}>
        <input type="hidden" name="token" value={pages.query['token'] ?? ''} />
        <button type="submit">Join</button>
      </Form>
    </div>
  );
}

function NoInvitation({ email }: { readonly email: string }): JSX.Element {
  return (
    <div class="narrow">
      <h1>This invitation is over</h1>
      <p>{`It was accepted, withdrawn or replaced, it is older than 7 days, or it was sent to another address than ${email}, as which you are signed in.`}</p>
      <p>Ask an owner of the organization for another one.</p>
    </div>
  );
}

interface OwnInvitationsProps {
  readonly pages: PersonPages;
  readonly invitations: readonly Invitation[];
}

/** The open invitations of whoever is signed in, who accepts them here also where no mail came; nothing where there is none. */
export function OwnInvitations({ pages, invitations }: OwnInvitationsProps): JSX.Element | null {
  if (invitations.length === 0) return null;
  return (
    <Section title="Your invitations">
      <Table
        caption="Your open invitations"
        columns={['Organization', 'Role', 'Until', '']}
        rows={invitations.map((invitation) => <OwnInvitation pages={pages} invitation={invitation} />)}
        empty="None."
      />
    </Section>
  );
}

function OwnInvitation({
  pages: { root, token },
  invitation: { id, organizationName, role, expiresAt },
}: {
  readonly pages: PersonPages;
  readonly invitation: Invitation;
}): JSX.Element {
  return (
    <tr>
      <td class="wide">{organizationName}</td>
      <td>{role}</td>
      <td>
        <Instant at={expiresAt} />
      </td>
      <td>
        <Form action={root + below(CONSOLE_PATHS.invitation)} token={token}>
          <input type="hidden" name="token" value={id} />
          <button type="submit">Join</button>
        </Form>
      </td>
    </tr>
  );
}
