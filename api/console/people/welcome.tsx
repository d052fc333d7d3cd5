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
import { Field, Form, Problems } from '../shell/fields.tsx';
import { Instant, narrowPage, Section, Table } from '../shell/parts.tsx';
import { type ConsoleResponse, formPage, page, redirect, requiredText, textOf } from '../shell/response.ts';
import { forPerson, type PersonPages, type PersonRoute } from '../shell/routes.ts';
import { below } from './link-pages.tsx';

const OrganizationForm = z.object({
  name: requiredText('Enter a name.', 100),
});

/** The first page, a new organization, an invitation. */
export function welcomeRoutes({ people }: Pick<PageDeps, 'people'>): readonly PersonRoute[] {
  const showWelcome = async (pages: PersonPages) => {
    const invitations = await listOwnInvitations(people.as(pages.actor));
    if (people.settings.signUp !== 'open') return invitedPage(pages, invitations);
    const body = <WelcomePage pages={pages} invitations={invitations} />;
    return formPage('New organization', body, pages);
  };
  return [
    forPerson.page('/', ({ root, session, memberships }) => {
      const chosen = session.organizationId ?? memberships[0]?.organizationId;
      return redirect(chosen === undefined ? `${root}/welcome` : `${root}/orgs/${chosen}`);
    }),
    forPerson.page('/welcome', showWelcome),
    forPerson.form('/welcome', {
      fields: OrganizationForm,
      show: showWelcome,
      work: async (pages, { name }) => {
        const { id } = await createOwnOrganization(name, people.as(pages.actor), people);
        return redirect(`${pages.root}/orgs/${id}`);
      },
    }),
    forPerson.page(below(CONSOLE_PATHS.invitation), async (pages) =>
      invitationPage(pages, await findInvitation(pages.query['token'] ?? '', people.as(pages.actor))),
    ),
    forPerson.action(below(CONSOLE_PATHS.invitation), async (pages) => {
      try {
        const { organizationId } = await acceptInvitation(textOf(pages.form, 'token'), people.as(pages.actor));
        return redirect(`${pages.root}/orgs/${organizationId}`);
      } catch (error) {
        if (isAppError(error, 'not_found') || isAppError(error, 'usage')) return invitationPage(pages, undefined);
        throw error;
      }
    }),
  ];
}

function invitationPage(pages: PersonPages, invitation: Invitation | undefined): ConsoleResponse {
  const { email } = pages.session.person;
  // An invitation for somebody else does not count.
  if (invitation === undefined || invitation.email !== email) return noInvitation(email);
  const { organizationName, role, expiresAt } = invitation;
  const body = (
    <div class="narrow">
      <h1>{`Join ${organizationName}?`}</h1>
      <p>{`${email} was invited as ${role === 'owner' ? 'an owner' : 'a member'}.`}</p>
      <p>
        The invitation ends on <Instant at={expiresAt} />.
      </p>
      <JoinForm pages={pages} invitation={pages.query['token'] ?? ''} />
    </div>
  );
  return page('Invitation', body);
}

function JoinForm({ pages, invitation }: { readonly pages: PersonPages; readonly invitation: string }): JSX.Element {
  return (
    <Form action={pages.root + below(CONSOLE_PATHS.invitation)} token={pages.token}>
      <input type="hidden" name="token" value={invitation} />
      <button type="submit">Join</button>
    </Form>
  );
}

function noInvitation(email: string): ConsoleResponse {
  const text = (
    <>
      <p>{`It was accepted, withdrawn or replaced, is older than 7 days, or was sent to another address than ${email}, with which you are signed in.`}</p>
      <p>Ask an owner of the organization for a new one.</p>
    </>
  );
  return narrowPage('This invitation is no longer valid', text, 410);
}

function WelcomePage({ pages, invitations }: InvitationsProps): JSX.Element {
  const { root, token, memberships } = pages;
  return (
    <div class="narrow">
      <h1>{memberships.length === 0 ? 'Welcome' : 'New organization'}</h1>
      <OwnInvitations pages={pages} invitations={invitations} />
      <p>
        Keys, usage and webhooks belong to an organization. Name yours; it begins on the Community plan, which is free.
      </p>
      <Problems of={pages} />
      <Form action={`${root}/welcome`} token={token}>
        <Field label="Name of the organization" name="name" of={pages} maxlength={100} autocomplete="organization" />
        <button type="submit">Create the organization</button>
      </Form>
    </div>
  );
}

/** If people may not create organizations. */
function invitedPage(pages: PersonPages, invitations: readonly Invitation[]): ConsoleResponse {
  const { memberships, session } = pages;
  const text = (
    <>
      <OwnInvitations pages={pages} invitations={invitations} />
      {memberships.length === 0 && <p>{`${session.person.email} is not a member of an organization yet.`}</p>}
      <p>
        Only the operator creates organizations here. To join one, ask one of its owners to invite your address, and
        follow the link in the mail.
      </p>
    </>
  );
  return narrowPage('Organizations', text);
}

interface InvitationsProps {
  readonly pages: PersonPages;
  readonly invitations: readonly Invitation[];
}

/** Invitations of the signed-in person, to accept even if no mail arrived. */
export function OwnInvitations({ pages, invitations }: InvitationsProps): JSX.Element | null {
  if (invitations.length === 0) return null;
  return (
    <Section title="Your invitations">
      <Table
        caption="Your open invitations"
        columns={[['Organization', 'wide'], 'Role', 'Until', '']}
        rows={invitations.map(({ id, organizationName, role, expiresAt }) => [
          organizationName,
          role,
          <Instant at={expiresAt} />,
          <JoinForm pages={pages} invitation={id} />,
        ])}
        empty="None."
      />
    </Section>
  );
}
