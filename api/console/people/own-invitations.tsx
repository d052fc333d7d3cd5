import type { JSX } from 'preact';
import { CONSOLE_PATHS, type Invitation } from '../../accounts/people/people.ts';
import { Form } from '../shell/fields.tsx';
import { Instant, Section, Table } from '../shell/parts.tsx';
import type { PersonPages } from '../shell/visitor.ts';
import { below } from './sign-in.tsx';

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
