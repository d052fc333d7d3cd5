import { CONSOLE_PATHS, type DescribedLink, type TooMany } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { Form } from '../shell/fields.tsx';
import { Notice, narrowPage } from '../shell/parts.tsx';
import { type ConsoleResponse, page, textOf } from '../shell/response.ts';
import { forAnybody, type OpenRoute, type PageRequest } from '../shell/routes.ts';

/** A path of {@link CONSOLE_PATHS} relative to the console. */
export function below(path: string): string {
  return path.slice(CONSOLE_PATHS.home.length);
}

export function tooMany({ retryAfterSeconds }: TooMany): ConsoleResponse {
  const minutes = Math.max(1, Math.ceil(retryAfterSeconds / 60));
  const text = <p>{`Wait for ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.`}</p>;
  return narrowPage('Too many attempts', text, 429);
}

export function linkExpired({ root }: PageRequest): ConsoleResponse {
  const text = (
    <>
      <p>It was already used, is older than 15 minutes, or was not copied completely.</p>
      <p>
        <a href={`${root}/sign-in`}>Request a new one</a>
      </p>
    </>
  );
  return narrowPage('This link is no longer valid', text, 410);
}

/** The same for known and unknown addresses. */
export function linkSent(): ConsoleResponse {
  const text = (
    <>
      <p>If we may send mail to this address, a link is on its way. It is valid for 15 minutes and works once.</p>
      <p class="hint">
        No mail? Check the spam folder. After many requests only one link is sent every ten minutes: use any link of the
        last 15 minutes, or request another one later.
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
        Too many wrong passwords were entered for this address, so for now a password alone is not enough. If yours was
        right, a link is on its way to the address: open it to complete signing in.
      </p>
      <p class="hint">No mail? Check the spam folder and the password.</p>
    </>
  );
  return narrowPage('Check your email', text);
}

/**
 * Opening a link signs nobody in, because mail programs open links. The page names the person, and warns those who got
 * the link from somebody else.
 */
export function linkPage(
  { root, token, query, session }: PageRequest,
  { email, isOwn }: DescribedLink,
): ConsoleResponse {
  const body = (
    <div class="narrow">
      <h1>{`Sign in as ${email}?`}</h1>
      {!isOwn && (
        <Notice kind="bad">
          This link was requested in another browser. Continue only if you requested it yourself and this is your
          address. Otherwise you would work in the account of somebody else, who can see what you do there.
        </Notice>
      )}
      {session !== undefined && session.person.email !== email && (
        <p>{`You are signed in as ${session.person.email}. That session ends in this browser.`}</p>
      )}
      {session !== undefined && session.person.email === email && (
        <p>You are already signed in with this address. A new session replaces the one in this browser.</p>
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

/**
 * Target of the link in the mail about a changed password. Opening it changes nothing, because mail programs open
 * links.
 */
export function undoPasswordRoutes({ people: { passwords } }: Pick<PageDeps, 'people'>): readonly OpenRoute[] {
  const path = below(CONSOLE_PATHS.undoPassword);
  return [
    forAnybody.page(path, async ({ root, token, query }) => {
      const person = await passwords.describeUndo(query['token'] ?? '');
      if (person === undefined) return undoExpired();
      const question = (
        <>
          <p>{`This removes the password of ${person.email}, and ends all sessions.`}</p>
          <Form action={root + path} token={token}>
            <input type="hidden" name="token" value={query['token'] ?? ''} />
            <button type="submit" class="danger">
              Remove the password
            </button>
          </Form>
        </>
      );
      return narrowPage('Remove the password?', question);
    }),
    forAnybody.action(path, async ({ form, origin, root }) => {
      const person = await passwords.undo(textOf(form, 'token'), origin);
      if (person === undefined) return undoExpired();
      const text = (
        <>
          <p>{`${person.email} no longer has a password, and is signed out everywhere.`}</p>
          <p>
            <a href={`${root}/sign-in`}>Sign in with a link by mail</a>, then check the keys, connections and members of
            your organizations: the person who changed the password may have changed those too.
          </p>
        </>
      );
      return narrowPage('The password was removed', text);
    }),
  ];
}

function undoExpired(): ConsoleResponse {
  const text = <p>It was already used, is older than 7 days, or was not copied completely.</p>;
  return narrowPage('This link is no longer valid', text, 410);
}
