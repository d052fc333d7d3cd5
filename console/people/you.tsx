import { z } from 'zod';
import type { ListedSession } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { formPage, redirect } from '../shell/answer.ts';
import { Field, Form, Problems } from '../shell/fields.tsx';
import type { FormProblems } from '../shell/form.ts';
import { Badge, Facts, Instant, Notice, Section, Table } from '../shell/parts.tsx';
import type { ConsoleRoute } from '../shell/routes.ts';
import { submit } from '../shell/submit.ts';
import type { PersonPages } from '../shell/visitor.ts';

const PasswordForm = z.object({ password: z.string().min(1, 'Say a password.'), current: z.string().optional() });

/** What belongs to a person rather than to an organization: where they are signed in, and their password. */
export function youRoutes({ people: { signIn } }: Pick<PageDeps, 'people'>): readonly ConsoleRoute[] {
  const show = async (pages: PersonPages, problems?: FormProblems) => {
    const { id } = pages.session.person;
    const sessions = await signIn.listSessions(id);
    const hasPassword = signIn.methods.includes('password') ? await signIn.hasPassword(id) : undefined;
    const body = <YouPage pages={pages} sessions={sessions} hasPassword={hasPassword} problems={problems} />;
    return formPage('You', body, problems);
  };
  return [
    { kind: 'person', method: 'GET', path: '/you', answer: (pages) => show(pages) },
    {
      kind: 'person',
      method: 'POST',
      path: '/you/password',
      answer: (pages) =>
        submit(PasswordForm, pages, {
          show,
          work: async (fields) => {
            const refused = await signIn.setPassword(pages.session, fields, pages.origin);
            if (refused !== undefined) return show(pages, { '': 'Too many attempts: wait for some minutes.' });
            return redirect(`${pages.root}/you?done=password`);
          },
        }),
    },
    {
      kind: 'person',
      method: 'POST',
      path: '/sign-out',
      answer: async ({ root, cookies }) => redirect(`${root}/sign-in`, { cookies: await signIn.signOut(cookies) }),
    },
    {
      kind: 'person',
      method: 'POST',
      path: '/sign-out-everywhere',
      answer: async ({ root, session, origin, cookies }) => {
        await signIn.signOutEverywhere(session, origin);
        return redirect(`${root}/sign-in`, { cookies: await signIn.signOut(cookies) });
      },
    },
  ];
}

interface YouPageProps {
  readonly pages: PersonPages;
  readonly sessions: readonly ListedSession[];
  /** Undefined where nobody signs in by password here. */
  readonly hasPassword: boolean | undefined;
  readonly problems: FormProblems | undefined;
}

function YouPage({ pages, sessions, hasPassword, problems }: YouPageProps): JSX.Element {
  const { session, root, token } = pages;
  return (
    <>
      <h1>You</h1>
      {pages.query['done'] === 'password' && (
        <Notice kind="good">Your password was changed, and your other sessions were ended.</Notice>
      )}
      <Section title="Address">
        <Facts
          items={[
            ['E-mail', <span safe>{session.person.email}</span>],
            ['Since', <Instant at={session.person.createdAt} />],
          ]}
        />
      </Section>
      <Section title="Where you are signed in">
        <Table
          caption="Your sessions"
          columns={['Since', 'Until', 'From', 'With', '']}
          rows={sessions.map((listed) => <SessionRow listed={listed} isThis={listed.id === session.id} />)}
          empty="Nowhere."
        />
        <Form action={`${root}/sign-out-everywhere`} token={token}>
          <button type="submit" class="danger">
            Sign out everywhere
          </button>
        </Form>
      </Section>
      {hasPassword !== undefined && (
        <Section title={hasPassword ? 'Change your password' : 'Set a password'}>
          <Problems problems={problems} />
          <Form action={`${root}/you/password`} token={token}>
            {hasPassword && (
              <Field
                label="Password now"
                name="current"
                type="password"
                problems={problems}
                autocomplete="current-password"
              />
            )}
            <Field
              label="New password"
              name="password"
              type="password"
              hint="12 to 128 characters."
              problems={problems}
              autocomplete="new-password"
            />
            <button type="submit">{hasPassword ? 'Change it' : 'Set it'}</button>
          </Form>
        </Section>
      )}
    </>
  );
}

function SessionRow({ listed, isThis }: { readonly listed: ListedSession; readonly isThis: boolean }): JSX.Element {
  return (
    <tr>
      <td>
        <Instant at={listed.createdAt} />
      </td>
      <td>
        <Instant at={listed.expiresAt} />
      </td>
      <td safe>{listed.address ?? 'unknown'}</td>
      <td class="wide" safe>
        {listed.userAgent ?? 'unknown'}
      </td>
      <td>{isThis && <Badge kind="good" text="this one" />}</td>
    </tr>
  );
}
