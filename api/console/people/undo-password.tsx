import type { JSX } from 'preact';
import { CONSOLE_PATHS } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { type ConsoleAnswer, page, textOf } from '../shell/answer.ts';
import { Form } from '../shell/fields.tsx';
import type { OpenRoute } from '../shell/routes.ts';
import type { Visitor } from '../shell/visitor.ts';
import { below } from './link-pages.tsx';

/** Where the link of the mail leads that tells of a changed password. Opening it changes nothing: mail programs do that. */
export function undoPasswordRoutes({ people: { passwords } }: Pick<PageDeps, 'people'>): readonly OpenRoute[] {
  const path = below(CONSOLE_PATHS.undoPassword);
  return [
    {
      kind: 'open',
      method: 'GET',
      path,
      answer: async (visitor) => {
        const person = await passwords.describeUndo(visitor.query['token'] ?? '');
        if (person === undefined) return over();
        return page('Take the password away?', <AskPage visitor={visitor} email={person.email} />);
      },
    },
    {
      kind: 'open',
      method: 'POST',
      path,
      answer: async ({ form, origin, root }) => {
        const person = await passwords.undo(textOf(form, 'token'), origin);
        if (person === undefined) return over();
        return page('The password is gone', <DonePage root={root} email={person.email} />);
      },
    },
  ];
}

function over(): ConsoleAnswer {
  const body = (
    <div class="narrow">
      <h1>This link is over</h1>
      <p>It was used already, it is older than 7 days, or it was cut when it was copied.</p>
    </div>
  );
  return page('This link is over', body, { status: 410 });
}

function AskPage({
  visitor: { root, token, query },
  email,
}: {
  readonly visitor: Visitor;
  readonly email: string;
}): JSX.Element {
  return (
    <div class="narrow">
      <h1>Take the password away?</h1>
      <p>{`${email} has no password afterwards, and is signed out everywhere.`}</p>
      <Form action={root + below(CONSOLE_PATHS.undoPassword)} token={token}>
        <input type="hidden" name="token" value={query['token'] ?? ''} />
        <button type="submit" class="danger">
          Take it away
        </button>
      </Form>
    </div>
  );
}

function DonePage({ root, email }: { readonly root: string; readonly email: string }): JSX.Element {
  return (
    <div class="narrow">
      <h1>The password is gone</h1>
      <p>{`${email} has no password and no session any more.`}</p>
      <p>
        <a href={`${root}/sign-in`}>Sign in with a link by mail</a>, then check the keys, connections and members of
        your organizations: whoever changed the password could change those, too.
      </p>
    </div>
  );
}
