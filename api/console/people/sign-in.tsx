import type { JSX } from 'preact';
import { z } from 'zod';
import { CONSOLE_PATHS, NEXT_LENGTH_MAX, nextPath } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { Field, Form, Problems } from '../shell/fields.tsx';
import { type ConsoleResponse, formPage, neededText, redirect, textOf } from '../shell/response.ts';
import { forAnybody, type OpenRoute, type Visitor } from '../shell/routes.ts';
import { below, confirmByMail, linkOver, linkPage, linkSent, tooMany } from './link-pages.tsx';

const Email = neededText('Say your e-mail address.', 254, 'This is too long for an address.');
const Next = z.string().max(NEXT_LENGTH_MAX).optional();
const LinkFields = z.object({ email: Email, next: Next });
const PasswordFields = z.object({
  email: Email,
  password: z.string().min(1, 'Say your password.').max(1000),
  next: Next,
});

const WRONG_PASSWORD = 'This address and this password do not belong together.';

/** The way in: by a link that comes by mail, or by password. Known and unknown addresses get the same answers. */
export function signInRoutes({ people }: Pick<PageDeps, 'people'>): readonly OpenRoute[] {
  const { links, passwords, settings } = people;
  const show = (visitor: Visitor): ConsoleResponse => {
    if (visitor.session !== undefined) return redirect(visitor.root);
    const isNew = visitor.url.slice(visitor.root.length).startsWith('/sign-up');
    if (isNew && settings.signUp !== 'open') return redirect(withNext(`${visitor.root}/sign-in`, nextOf(visitor)));
    const body = <SignInPage visitor={visitor} settings={settings} isNew={isNew} />;
    return formPage(isNew ? 'Sign up' : 'Sign in', body, visitor);
  };
  return [
    forAnybody.page('/sign-in', show),
    forAnybody.page('/sign-up', show),
    forAnybody.form('/sign-in', {
      fields: LinkFields,
      show,
      work: async (visitor, fields) => {
        const refused = await links.send(fields, visitor.origin);
        return refused === undefined ? redirect(`${visitor.root}/sign-in/sent`) : tooMany(refused);
      },
    }),
    forAnybody.page('/sign-in/sent', linkSent),
    forAnybody.form('/sign-in/password', {
      fields: PasswordFields,
      show,
      work: async (visitor, fields) => {
        const result = await passwords.signIn(fields, visitor.origin, visitor.session);
        if (result === undefined) return show({ ...visitor, problems: { '': WRONG_PASSWORD } });
        if ('tooMany' in result) return tooMany(result);
        if ('confirmByMail' in result) return confirmByMail();
        return redirect(nextPath(fields.next, { publicUrl: visitor.baseUrl, home: CONSOLE_PATHS.home }), result);
      },
    }),
    forAnybody.page(below(CONSOLE_PATHS.signInLink), async (visitor) => {
      const link = await links.describe(visitor.query['token'] ?? '', visitor.origin);
      return link === undefined ? linkOver(visitor) : linkPage(visitor, link);
    }),
    forAnybody.action(below(CONSOLE_PATHS.signInLink), async (visitor) => {
      const result = await links.redeem(textOf(visitor.form, 'token'), visitor.origin, visitor.session);
      return result === undefined ? linkOver(visitor) : redirect(result.next, result);
    }),
  ];
}

/** Where somebody wants to go afterwards, as the form or the address says; empty for nowhere. */
function nextOf({ form, query }: Visitor): string {
  return textOf(form, 'next') || (query['next'] ?? '');
}

function withNext(path: string, next: string): string {
  return next === '' ? path : `${path}?next=${encodeURIComponent(next)}`;
}

interface SignInPageProps {
  readonly visitor: Visitor;
  readonly settings: PageDeps['people']['settings'];
  readonly isNew: boolean;
}

function SignInPage(props: SignInPageProps): JSX.Element {
  const { visitor, settings, isNew } = props;
  const { root } = visitor;
  const next = nextOf(visitor);
  const hasLinks = settings.methods.includes('link');
  return (
    <div class="narrow">
      <h1>{isNew ? 'Create an account' : 'Sign in'}</h1>
      {isNew && (
        <p>Free for up to 500 data responses a day: enter your address, and follow the link that comes by mail.</p>
      )}
      <Problems of={visitor} />
      {(hasLinks || isNew) && <LinkForm {...props} next={hasLinks ? next : `${root}/you`} />}
      {!isNew && settings.methods.includes('password') && <PasswordForm {...props} next={next} />}
      {!hasLinks && !isNew && (
        <details class="more">
          <summary>No password yet?</summary>
          <p>Whoever has none gets a link by mail, to set one.</p>
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
          Been here before? <a href={withNext(`${root}/sign-in`, next)}>Sign in</a>
        </p>
      )}
      {settings.signUp !== 'open' && (
        <p class="hint">New accounts are by invitation here: ask an owner of your organization, or the operator.</p>
      )}
    </div>
  );
}

interface WayInProps extends SignInPageProps {
  readonly next: string;
}

/** Where passwords alone are offered, the way to the first one. */
function LinkForm({ visitor, next }: WayInProps): JSX.Element {
  const { root, token } = visitor;
  return (
    <Form action={`${root}/sign-in`} token={token}>
      <Field label="E-mail address" name="email" type="email" of={visitor} autocomplete="email" />
      <NextField next={next} />
      <button type="submit">Send me a link</button>
    </Form>
  );
}

function PasswordForm({ visitor, settings, next }: WayInProps): JSX.Element {
  const { root, token } = visitor;
  return (
    <Form action={`${root}/sign-in/password`} token={token}>
      {settings.methods.includes('link') && <h2>Or with your password</h2>}
      <Field
        label="E-mail address"
        name="email"
        id="password-email"
        type="email"
        of={visitor}
        autocomplete="username"
      />
      <Field label="Password" of={visitor} name="password" type="password" autocomplete="current-password" />
      <NextField next={next} />
      <button type="submit">Sign in</button>
    </Form>
  );
}

function NextField({ next }: { readonly next: string }): JSX.Element | null {
  return next === '' ? null : <input type="hidden" name="next" value={next} />;
}
