import { z } from 'zod';
import { nextPath } from '../../accounts/people/next-path.ts';
import { CONSOLE_PATHS, type TooMany } from '../../accounts/people/people.ts';
import type { PageDeps } from '../console-deps.ts';
import { type ConsoleAnswer, formPage, page, redirect } from '../shell/answer.ts';
import { Field, Form, Problems } from '../shell/fields.tsx';
import { type FormProblems, textOf } from '../shell/form.ts';
import type { OpenRoute } from '../shell/routes.ts';
import { submit } from '../shell/submit.ts';
import type { Visitor } from '../shell/visitor.ts';

const Email = z
  .string({ error: 'Say your e-mail address.' })
  .trim()
  .min(1, 'Say your e-mail address.')
  .max(254, 'This is too long for an address.');
const Next = z.string().max(2000).optional();
const LinkForm = z.object({ email: Email, next: Next });
const PasswordForm = z.object({
  email: Email,
  password: z.string().min(1, 'Say your password.').max(1000),
  next: Next,
});

const WRONG_PASSWORD = 'This address and this password do not belong together.';

/** The way in: by a link that comes by mail, or by password. Known and unknown addresses get the same answers. */
export function signInRoutes({ people }: Pick<PageDeps, 'people'>): readonly OpenRoute[] {
  const { signIn } = people;
  const show = (visitor: Visitor, problems?: FormProblems): ConsoleAnswer => {
    if (visitor.session !== undefined) return redirect(visitor.root);
    const isNew = visitor.url.slice(visitor.root.length).startsWith('/sign-up');
    const body = <SignInPage visitor={visitor} signIn={signIn} isNew={isNew} problems={problems} />;
    return formPage(isNew ? 'Sign up' : 'Sign in', body, problems);
  };
  return [
    { kind: 'open', method: 'GET', path: '/sign-in', answer: (visitor) => show(visitor) },
    { kind: 'open', method: 'GET', path: '/sign-up', answer: (visitor) => show(visitor) },
    {
      kind: 'open',
      method: 'POST',
      path: '/sign-in',
      answer: (visitor) =>
        submit(LinkForm, visitor, {
          show,
          work: async (fields) => {
            const refused = await signIn.sendLink(fields, visitor.origin);
            return refused === undefined ? redirect(`${visitor.root}/sign-in/sent`) : tooMany(refused);
          },
        }),
    },
    { kind: 'open', method: 'GET', path: '/sign-in/sent', answer: () => page('Look into your mail', <SentPage />) },
    {
      kind: 'open',
      method: 'POST',
      path: '/sign-in/password',
      answer: (visitor) =>
        submit(PasswordForm, visitor, {
          show,
          work: async (fields) => {
            const result = await signIn.signInWithPassword(fields, visitor.origin);
            if (result === undefined) return show(visitor, { '': WRONG_PASSWORD });
            if ('tooMany' in result) return tooMany(result);
            return redirect(nextPath(fields.next, { publicUrl: visitor.baseUrl, home: CONSOLE_PATHS.home }), result);
          },
        }),
    },
    {
      kind: 'open',
      method: 'GET',
      path: below(CONSOLE_PATHS.signInLink),
      answer: (visitor) => page('Sign in', <LinkPage visitor={visitor} />),
    },
    {
      kind: 'open',
      method: 'POST',
      path: below(CONSOLE_PATHS.signInLink),
      answer: async (visitor) => {
        const result = await signIn.redeemLink(textOf(visitor.form, 'token'), visitor.origin);
        if (result === undefined) return page('This link is over', <OverPage root={visitor.root} />, { status: 410 });
        return redirect(result.next, result);
      },
    },
  ];
}

/** A path of {@link CONSOLE_PATHS} as routes name it: below the console. */
export function below(path: string): string {
  return path.slice(CONSOLE_PATHS.home.length);
}

function tooMany({ retryAfterSeconds }: TooMany): ConsoleAnswer {
  const minutes = Math.max(1, Math.ceil(retryAfterSeconds / 60));
  const body = (
    <div class="narrow">
      <h1>Too many attempts</h1>
      <p safe>{`Wait for ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.`}</p>
    </div>
  );
  return page('Too many attempts', body, { status: 429 });
}

interface SignInPageProps {
  readonly visitor: Visitor;
  readonly signIn: PageDeps['people']['signIn'];
  readonly isNew: boolean;
  readonly problems: FormProblems | undefined;
}

function SignInPage({ visitor, signIn, isNew, problems }: SignInPageProps): JSX.Element {
  const { root, token, form, query } = visitor;
  const next = textOf(form, 'next') || (query['next'] ?? '');
  const values = { email: textOf(form, 'email') };
  const isOpen = signIn.signUp === 'open';
  const hidden = next === '' ? '' : <input type="hidden" name="next" value={next} />;
  return (
    <div class="narrow">
      <h1>{isNew ? 'Create an account' : 'Sign in'}</h1>
      {isNew && (
        <p>Free for up to 500 data responses a day: enter your address, and follow the link that comes by mail.</p>
      )}
      <Problems problems={problems} />
      {signIn.methods.includes('link') && (
        <Form action={`${root}/sign-in`} token={token}>
          <Field
            label="E-mail address"
            name="email"
            type="email"
            values={values}
            problems={problems ?? {}}
            autocomplete="email"
            maxlength={254}
          />
          {hidden}
          <button type="submit">Send me a link</button>
        </Form>
      )}
      {!isNew && signIn.methods.includes('password') && (
        <Form action={`${root}/sign-in/password`} token={token}>
          {signIn.methods.includes('link') && <h2>Or with your password</h2>}
          <Field
            label="E-mail address"
            name="email"
            id="password-email"
            type="email"
            values={values}
            problems={problems ?? {}}
            autocomplete="username"
            maxlength={254}
          />
          <Field
            label="Password"
            name="password"
            type="password"
            problems={problems ?? {}}
            autocomplete="current-password"
          />
          {hidden}
          <button type="submit">Sign in</button>
        </Form>
      )}
      {isOpen && !isNew && (
        <p>
          No account yet? <a href={`${root}/sign-up`}>Create one</a>, it is the same link.
        </p>
      )}
      {isNew && (
        <p>
          Been here before? <a href={`${root}/sign-in`}>Sign in</a>
        </p>
      )}
      {!isOpen && (
        <p class="hint">New accounts are by invitation here: ask an owner of your organization, or the operator.</p>
      )}
    </div>
  );
}

function SentPage(): JSX.Element {
  return (
    <div class="narrow">
      <h1>Look into your mail</h1>
      <p>
        If we may send one to this address, a link is on its way. It is good for 15 minutes, and for signing in once.
      </p>
      <p class="hint">Nothing there? Look for it among the spam, or ask for another one in a minute.</p>
    </div>
  );
}

/** Opening a link signs nobody in: mail programs open links to look at them. */
function LinkPage({ visitor: { root, token, query } }: { readonly visitor: Visitor }): JSX.Element {
  return (
    <div class="narrow">
      <h1>Sign in</h1>
      <p>You followed a link to sign in. It works once.</p>
      <Form action={root + below(CONSOLE_PATHS.signInLink)} token={token}>
        <input type="hidden" name="token" value={query['token'] ?? ''} />
        <button type="submit" autofocus>
          Sign in
        </button>
      </Form>
    </div>
  );
}

function OverPage({ root }: { readonly root: string }): JSX.Element {
  return (
    <div class="narrow">
      <h1>This link is over</h1>
      <p>It was used already, it is older than 15 minutes, or it was cut when it was copied.</p>
      <p>
        <a href={`${root}/sign-in`}>Ask for a new one</a>
      </p>
    </div>
  );
}
