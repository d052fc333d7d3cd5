import type { JSX } from 'preact';
import { z } from 'zod';
import { type Invitation, listOwnInvitations } from '../../accounts/people/invitations.ts';
import type { ListedSession, PasswordState } from '../../accounts/people/people.ts';
import { chooseDigest, DIGEST_CHOICES } from '../../digests/digests.ts';
import type { ConsoleDigests, PageDeps } from '../console-deps.ts';
import { Field, Form, Problems } from '../shell/fields.tsx';
import { Badge, Done, Facts, Instant, Section, Table } from '../shell/parts.tsx';
import { formPage, type PageResponse, redirect } from '../shell/response.ts';
import { type ConsoleRoute, forPerson, type PersonPages } from '../shell/routes.ts';
import { DigestSection, findShownDigest, type ShownDigest } from './digest.tsx';
import { tooMany } from './link-pages.tsx';
import { OwnInvitations } from './welcome.tsx';

const PasswordForm = z.object({
  password: z.string().min(1, 'Enter a password.'),
  // Empty counts as absent: a fresh session does not need it.
  current: z
    .string()
    .transform((text) => (text === '' ? undefined : text))
    .optional(),
});

/** A person's sessions, password and digest. */
export function youRoutes({
  people,
  digests,
  views,
}: Pick<PageDeps, 'people' | 'digests' | 'views'>): readonly ConsoleRoute[] {
  const show = async (pages: PersonPages) => {
    const { session, actor } = pages;
    const sessions = await people.sessions.list(session.person.id);
    const invitations = await listOwnInvitations(people.as(actor));
    const password = people.settings.methods.includes('password') ? await people.passwords.state(session) : undefined;
    const hasLinks = people.settings.methods.includes('link') || password?.hasPassword === false;
    const digest = await findShownDigest(pages, { people, digests });
    const props = { pages, sessions, invitations, password, hasLinks, digest };
    return formPage('You', <YouPage {...props} />, pages);
  };
  const signOut = async ({ root, cookies }: PersonPages) =>
    redirect(`${root}/sign-in`, { cookies: await people.sessions.signOut(cookies) });
  return [
    forPerson.page('/you', show),
    forPerson.form('/you/password', {
      fields: PasswordForm,
      show,
      work: async (pages, fields) => {
        const refused = await people.passwords.set(pages.session, fields, pages.origin);
        if (refused !== undefined) return show({ ...pages, problems: { '': 'Too many attempts: wait some minutes.' } });
        return redirect(`${pages.root}/you?done=password`);
      },
    }),
    ...(digests === undefined ? [] : [digestForm(digests, { people, views, show })]),
    forPerson.action('/you/link', async ({ root, session, origin }) => {
      const refused = await people.links.send({ email: session.person.email, next: `${root}/you` }, origin);
      return refused === undefined ? redirect(`${root}/sign-in/sent`) : tooMany(refused);
    }),
    forPerson.action('/sign-out', signOut),
    forPerson.action('/sign-out-everywhere', async (pages) => {
      await people.sessions.signOutEverywhere(pages.session, pages.origin);
      return signOut(pages);
    }),
  ];
}

const DigestForm = z.object({ digest: z.enum(DIGEST_CHOICES, 'Choose one of the list.') });

function digestForm(
  { hour, problem }: ConsoleDigests,
  {
    people,
    views,
    show,
  }: Pick<PageDeps, 'people' | 'views'> & { readonly show: (pages: PersonPages) => Promise<PageResponse> },
): ConsoleRoute {
  return forPerson.form('/you/digest', {
    fields: DigestForm,
    show,
    work: async (pages, { digest: choice }) => {
      if (problem !== undefined && choice !== 'none') return show({ ...pages, problems: { '': problem } });
      await chooseDigest({ choice, newestDay: views.current().newest.day, hour }, people.as(pages.actor));
      return redirect(`${pages.root}/you?done=digest`);
    },
  });
}

interface YouPageProps {
  readonly pages: PersonPages;
  readonly sessions: readonly ListedSession[];
  readonly invitations: readonly Invitation[];
  /** Undefined if passwords are not offered. */
  readonly password: PasswordState | undefined;
  /** Whether this person can get a link by mail. */
  readonly hasLinks: boolean;
  /** Undefined if digests are not offered. */
  readonly digest: ShownDigest | undefined;
}

function YouPage(props: YouPageProps): JSX.Element {
  const { pages, sessions, invitations, password, digest } = props;
  const { session, root, token } = pages;
  return (
    <>
      <h1>You</h1>
      <Done
        query={pages.query}
        texts={{
          digest: 'Your choice of digest was saved.',
          password: 'Your password was changed, and your other sessions were ended. A mail explains how to undo this.',
        }}
      />
      <Problems of={pages} />
      <Section title="Address">
        <Facts
          items={[
            ['Email', session.person.email],
            ['Since', <Instant at={session.person.createdAt} />],
          ]}
        />
      </Section>
      <Section title="Where you are signed in">
        <Table
          caption="Your sessions"
          columns={['Since', 'Until', 'From', ['With', 'wide'], '']}
          rows={sessions.map(({ id, createdAt, expiresAt, address, userAgent }) => [
            <Instant at={createdAt} />,
            <Instant at={expiresAt} />,
            address ?? 'unknown',
            userAgent ?? 'unknown',
            id === session.id && <Badge kind="good" text="this one" />,
          ])}
          empty="Nowhere."
        />
        <Form action={`${root}/sign-out-everywhere`} token={token}>
          <button type="submit" class="danger">
            Sign out everywhere
          </button>
        </Form>
      </Section>
      {digest !== undefined && <DigestSection pages={pages} digest={digest} />}
      <OwnInvitations pages={pages} invitations={invitations} />
      {password !== undefined && <PasswordSection {...props} password={password} />}
    </>
  );
}

/** An older session might be somebody else's, so the form needs the current password, or a link by mail. */
function PasswordSection({
  pages,
  password: { hasPassword, isFresh },
  hasLinks,
}: YouPageProps & { readonly password: PasswordState }): JSX.Element {
  const { root, token } = pages;
  return (
    <Section title={hasPassword ? 'Change your password' : 'Set a password'}>
      {(hasPassword || isFresh) && (
        <Form action={`${root}/you/password`} token={token}>
          {hasPassword && !isFresh && (
            <Field label="Current password" name="current" type="password" of={pages} autocomplete="current-password" />
          )}
          <Field
            label="New password"
            name="password"
            type="password"
            hint="12 to 128 characters."
            of={pages}
            autocomplete="new-password"
          />
          <button type="submit">{hasPassword ? 'Change it' : 'Set it'}</button>
        </Form>
      )}
      {!isFresh && hasLinks && (
        <Form action={`${root}/you/link`} token={token}>
          <p class="hint">
            {hasPassword
              ? 'Forgot it? Sign in with a new link by mail: for 15 minutes after that you can set another one.'
              : 'You signed in more than 15 minutes ago. To set a password, sign in with a new link by mail first.'}
          </p>
          <button type="submit" class="quiet">
            Send me a link
          </button>
        </Form>
      )}
    </Section>
  );
}
