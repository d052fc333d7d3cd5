import type { JSX } from 'preact';
import type { FormProblems } from './form.ts';

/** What a page, or a form that was sent, is answered with. */
export type ConsoleAnswer = PageAnswer | RedirectAnswer | FileAnswer;

export interface PageAnswer {
  readonly kind: 'page';
  /** Default: 200. */
  readonly status?: number;
  /** What the browser's tab says. */
  readonly title: string;
  /** What stands between header and footer, as HTML. */
  readonly body: JSX.Element;
  /** An address elsewhere that somebody agreed to go to; the browser goes there by itself. */
  readonly goesTo?: string;
}

export interface RedirectAnswer {
  readonly kind: 'redirect';
  /** A path below the console, which it begins with a slash. */
  readonly to: string;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
}

export interface FileAnswer {
  readonly kind: 'file';
  readonly type: string;
  /** Under which it is saved. */
  readonly name: string;
  readonly text: AsyncIterable<string>;
}

export function page(
  title: string,
  body: JSX.Element,
  { status = 200 }: { readonly status?: number } = {},
): PageAnswer {
  return { kind: 'page', status, title, body };
}

/** A page with a form, as it was asked for or with what is wrong about what was sent. */
export function formPage(title: string, body: JSX.Element, problems: FormProblems | undefined): PageAnswer {
  return page(title, body, { status: problems === undefined ? 200 : 422 });
}

/** Where the browser goes next, with GET. */
export function redirect(to: string, { cookies = [] }: { readonly cookies?: readonly string[] } = {}): RedirectAnswer {
  return { kind: 'redirect', to, cookies };
}
