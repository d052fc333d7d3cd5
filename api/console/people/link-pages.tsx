/** What is answered on the way in: where a link goes, what it would do, and why there is none. */
import { CONSOLE_PATHS, type DescribedLink, type TooMany } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { Form } from '../shell/fields.tsx';
import { Notice, narrowPage } from '../shell/parts.tsx';
import { type ConsoleResponse, page, textOf } from '../shell/response.ts';
import { forAnybody, type OpenRoute, type Visitor } from '../shell/routes.ts';

/** A path of {@link CONSOLE_PATHS} as routes name it: below the console. */
export function below(path: string): string {
  return path.slice(CONSOLE_PATHS.home.length);
}

/** What somebody is refused with who asks for too much. */
export function tooMany({ retryAfterSeconds }: TooMany): ConsoleResponse {
  const minutes = Math.max(1, Math.ceil(retryAfterSeconds / 60));
  const text = <p>{`Wait for ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.`}</p>;
  return narrowPage('Too many attempts', text, 429);
}

/** The answer to a link that signs nobody in any more. */
export function linkOver({ root }: Visitor): ConsoleResponse {
  const text = (
    <>
      <p>It was used already, it is older than 15 minutes, or it was cut when it was copied.</p>
      <p>
        <a href={`${root}/sign-in`}>Ask for a new one</a>
      </p>
    </>
  );
  return narrowPage('This link is over', text, 410);
}

/** Says that a link is on its way, whoever asked for it. */
export function linkSent(): ConsoleResponse {
  const text = (
    <>
      <p>
        If we may send one to this address, a link is on its way. It is good for 15 minutes, and for signing in once.
      </p>
      <p class="hint">
        Nothing there? Check the spam folder. Where many links are asked for, one is sent every ten minutes: any link of
        the last 15 minutes works, or ask for another one a little later.
      </p>
    </>
  );
  return narrowPage('Check your email', text);
}

/** The same for a right and a wrong password. */
export function confirmByMail(): ConsoleResponse {
  const text = (
    <>
      <p>
        Too many wrong passwords were tried for this address, so for now a password alone doesn’t sign in. If yours was
        right, a link is on its way to the address: open it to complete signing in.
      </p>
      <p class="hint">Nothing there? Check the spam folder, and the password.</p>
    </>
  );
  return narrowPage('Check your email', text);
}

/**
 * Opening a link signs nobody in: mail programs open links to look at them. The page says whom the link signs in, and what else the
 * reader should know who was given it by somebody else.
 */
export function linkPage({ root, token, query, session }: Visitor, { email, isOwn }: DescribedLink): ConsoleResponse {
  const body = (
    <div class="narrow">
      <h1>{`Sign in as ${email}?`}</h1>
      {!isOwn && (
        <Notice kind="bad">
          This link was asked for in another browser. Go on only if you asked for it yourself, and if this is your
          address: else you would work in the account of somebody who sees what you do there.
        </Notice>
      )}
      {session !== undefined && session.person.email !== email && (
        <p>{`You are signed in as ${session.person.email}. That session ends in this browser.`}</p>
      )}
      {session !== undefined && session.person.email === email && (
        <p>You are signed in with this address already. A new session replaces the one in this browser.</p>
      )}
      <p>The link works once.</p>
      <Form action={root + below(CONSOLE_PATHS.signInLink)} token={token}>
        <input type="hidden" name="token" value={query['token'] ?? ''} />
        <button type="submit" autofocus={isOwn}>
          Sign in
        </button>
      </Form>
    </div>
  );
  return page('Sign in', body);
}

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

function over(): ConsoleResponse {
  const text = <p>It was used already, it is older than 7 days, or it was cut when it was copied.</p>;
  return narrowPage('This link is over', text, 410);
}
