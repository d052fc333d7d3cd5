import { CONSOLE_PATHS } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { type ConsoleAnswer, textOf } from '../shell/answer.ts';
import { Form } from '../shell/fields.tsx';
import { narrowPage } from '../shell/parts.tsx';
import { forAnybody, type OpenRoute } from '../shell/routes.ts';
import { below } from './link-pages.tsx';

/** Where the link of the mail leads that tells of a changed password. Opening it changes nothing: mail programs do that. */
export function undoPasswordRoutes({ people: { passwords } }: Pick<PageDeps, 'people'>): readonly OpenRoute[] {
  const path = below(CONSOLE_PATHS.undoPassword);
  return [
    forAnybody.page(path, async ({ root, token, query }) => {
      const person = await passwords.describeUndo(query['token'] ?? '');
      if (person === undefined) return over();
      const question = (
        <>
          <p>{`${person.email} has no password afterwards, and is signed out everywhere.`}</p>
          <Form action={root + path} token={token}>
            <input type="hidden" name="token" value={query['token'] ?? ''} />
            <button type="submit" class="danger">
              Take it away
            </button>
          </Form>
        </>
      );
      return narrowPage('Take the password away?', question);
    }),
    forAnybody.action(path, async ({ form, origin, root }) => {
      const person = await passwords.undo(textOf(form, 'token'), origin);
      if (person === undefined) return over();
      const text = (
        <>
          <p>{`${person.email} has no password and no session any more.`}</p>
          <p>
            <a href={`${root}/sign-in`}>Sign in with a link by mail</a>, then check the keys, connections and members of
            your organizations: whoever changed the password could change those, too.
          </p>
        </>
      );
      return narrowPage('The password is gone', text);
    }),
  ];
}

function over(): ConsoleAnswer {
  const text = <p>It was used already, it is older than 7 days, or it was cut when it was copied.</p>;
  return narrowPage('This link is over', text, 410);
}
