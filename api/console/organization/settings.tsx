import type { JSX } from 'preact';
import { z } from 'zod';
import { setEmail } from '../../accounts/organizations/organizations.ts';
import { normalisedEmail } from '../../accounts/people/person.ts';
import type { PageDeps } from '../console-deps.ts';
import { Field, Form, Problems } from '../shell/fields.tsx';
import { Done, Facts, Instant, Section } from '../shell/parts.tsx';
import { formPage, redirect } from '../shell/response.ts';
import { forMembers, type OrganizationPages, type OrganizationRoute } from '../shell/routes.ts';

const EmailForm = z.object({
  email: z.string().transform((text, context) => {
    const email = text.trim() === '' ? null : normalisedEmail(text);
    if (email !== undefined) return email;
    context.addIssue({ code: 'custom', message: 'This is not a valid email address.' });
    return z.NEVER;
  }),
});

/** Name of an organization, and its address for notices. */
export function settingsRoutes({ accounts }: Pick<PageDeps, 'accounts'>): readonly OrganizationRoute[] {
  const show = (pages: OrganizationPages) => formPage('Settings', settingsPage(pages), pages);
  return [
    forMembers.page('/settings', show),
    forMembers.form('/settings/email', {
      isForOwners: true,
      fields: EmailForm,
      show,
      work: async (pages, { email }) => {
        await setEmail(pages.organization.id, email, accounts.as(pages.actor));
        return redirect(`${pages.path}/settings?done=email`);
      },
    }),
  ];
}

function settingsPage(pages: OrganizationPages): JSX.Element {
  const { organization, path, token, role, query, problems } = pages;
  const sent = problems === undefined ? { form: { email: organization.email ?? '' } } : pages;
  return (
    <>
      <h1>Settings</h1>
      <Done query={query} texts={{ email: 'The address was changed.' }} />
      <Section title="Organization">
        <Facts
          items={[
            ['Name', organization.name],
            ['Id', <code>{organization.id}</code>],
            ['Since', <Instant at={organization.createdAt} />],
          ]}
        />
      </Section>
      <Section title="Notices">
        <Problems of={pages} />
        <p>The address for notices, for example of a revoked or suspended webhook endpoint.</p>
        {role === 'owner' ? (
          <Form action={`${path}/settings/email`} token={token} className="form row">
            <Field label="Email address" name="email" type="email" required={false} of={sent} autocomplete="email" />
            <button type="submit">Save</button>
          </Form>
        ) : (
          <p>{organization.email ?? 'None yet; an owner can set it.'}</p>
        )}
      </Section>
    </>
  );
}
