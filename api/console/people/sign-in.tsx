import type { JSX } from 'preact';
import { z } from 'zod';
import { CONSOLE_PATHS, NEXT_LENGTH_MAX, nextPath } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { Field, Form, Problems } from '../shell/fields.tsx';
import { type ConsoleResponse, formPage, redirect, requiredText, textOf } from '../shell/response.ts';
import { forAnybody, type OpenRoute, type PageRequest } from '../shell/routes.ts';
import { below, confirmByMail, linkExpired, linkPage, linkSent, tooMany } from './link-pages.tsx';

const Email = requiredText('Enter your email address.', 254, 'This address is too long.');
const Next = z.string().max(NEXT_LENGTH_MAX).optional();
const LinkFields = z.object({ email: Email, next: Next });
const PasswordFields = z.object({
  email: Email,
  password: z.string().min(1, 'Enter your password.').max(1000),
  next: Next,
});

const WRONG_PASSWORD = 'The address or the password is wrong.';

/** By a link in a mail, or by password. Known and unknown addresses get the same responses. */
export function signInRoutes({ people }: Pick<PageDeps, 'people'>): readonly OpenRoute[] {
  const { links, passwords, settings } = people;
  const show = (request: PageRequest): ConsoleResponse => {
    if (request.session !== undefined) return redirect(request.root);
    const isNew = request.url.slice(request.root.length).startsWith('/sign-up');
    if (isNew && settings.signUp !== 'open') return redirect(withNext(`${request.root}/sign-in`, nextOf(request)));
    const body = <SignInPage request={request} settings={settings} isNew={isNew} />;
    return formPage(isNew ? 'Sign up' : 'Sign in', body, request);
  };
  return [
    forAnybody.page('/sign-in', show),
    forAnybody.page('/sign-up', show),
    forAnybody.form('/sign-in', {
      fields: LinkFields,
      show,
      work: async (request, fields) => {
        const refused = await links.send(fields, request.origin);
        return refused === undefined ? redirect(`${request.root}/sign-in/sent`) : tooMany(refused);
      },
    }),
    forAnybody.page('/sign-in/sent', linkSent),
    forAnybody.form('/sign-in/password', {
      fields: PasswordFields,
      show,
      work: async (request, fields) => {
        const result = await passwords.signIn(fields, request.origin, request.session);
        if (result === undefined) return show({ ...request, problems: { '': WRONG_PASSWORD } });
        if ('tooMany' in result) return tooMany(result);
        if ('confirmByMail' in result) return confirmByMail();
        return redirect(nextPath(fields.next, { publicUrl: request.baseUrl, home: CONSOLE_PATHS.home }), result);
      },
    }),
    forAnybody.page(below(CONSOLE_PATHS.signInLink), async (request) => {
      const link = await links.describe(request.query['token'] ?? '', request.origin);
      return link === undefined ? linkExpired(request) : linkPage(request, link);
    }),
    forAnybody.action(below(CONSOLE_PATHS.signInLink), async (request) => {
      const result = await links.redeem(textOf(request.form, 'token'), request.origin, request.session);
      return result === undefined ? linkExpired(request) : redirect(result.next, result);
    }),
  ];
}

/** The page to return to, from form or address; empty: none. */
function nextOf({ form, query }: PageRequest): string {
  return textOf(form, 'next') || (query['next'] ?? '');
}

function withNext(path: string, next: string): string {
  return next === '' ? path : `${path}?next=${encodeURIComponent(next)}`;
}

interface SignInPageProps {
  readonly request: PageRequest;
  readonly settings: PageDeps['people']['settings'];
  readonly isNew: boolean;
}

function SignInPage(props: SignInPageProps): JSX.Element {
  const { request, settings, isNew } = props;
  const { root } = request;
  const next = nextOf(request);
  const hasLinks = settings.methods.includes('link');
  return (
    <div class="narrow">
      <h1>{isNew ? 'Create an account' : 'Sign in'}</h1>
      {isNew && <p>Free for up to 500 data responses a day: enter your address, and follow the link in the mail.</p>}
      <Problems of={request} />
      {(hasLinks || isNew) && <LinkForm {...props} next={hasLinks ? next : `${root}/you`} />}
      {!isNew && settings.methods.includes('password') && <PasswordForm {...props} next={next} />}
      {!hasLinks && !isNew && (
        <details class="more">
          <summary>No password yet?</summary>
          <p>Get a link by mail to set one.</p>
          <LinkForm {...props} next={`${root}/you`} />
        </details>
      )}
      {settings.signUp === 'open' && !isNew && (
        <p>
          No account yet? <a href={withNext(`${root}/sign-up`, next)}>Create one</a>.
        </p>
      )}
      {isNew && (
        <p>
          Already have an account? <a href={withNext(`${root}/sign-in`, next)}>Sign in</a>
        </p>
      )}
      {settings.signUp !== 'open' && (
        <p class="hint">New accounts are by invitation here: ask an owner of your organization, or the operator.</p>
      )}
    </div>
  );
}

interface SignInFormProps extends SignInPageProps {
  readonly next: string;
}

/** Leads to the first password if only passwords are offered. */
function LinkForm({ request, next }: SignInFormProps): JSX.Element {
  const { root, token } = request;
  return (
    <Form action={`${root}/sign-in`} token={token}>
      <Field label="Email address" name="email" type="email" of={request} autocomplete="email" />
      <NextField next={next} />
      <button type="submit">Send me a link</button>
    </Form>
  );
}

function PasswordForm({ request, settings, next }: SignInFormProps): JSX.Element {
  const { root, token } = request;
  return (
    <Form action={`${root}/sign-in/password`} token={token}>
      {settings.methods.includes('link') && <h2>Or with your password</h2>}
      <Field label="Email address" name="email" id="password-email" type="email" of={request} autocomplete="username" />
      <Field label="Password" of={request} name="password" type="password" autocomplete="current-password" />
      <NextField next={next} />
      <button type="submit">Sign in</button>
    </Form>
  );
}

function NextField({ next }: { readonly next: string }): JSX.Element | null {
  return next === '' ? null : <input type="hidden" name="next" value={next} />;
}
