import type { JSX } from 'preact';
import { z } from 'zod';
import { isAppError } from '../../../runtime/errors.ts';

/** What a page, or a form that was sent, is answered with. */
export type ConsoleResponse = PageResponse | RedirectResponse | FileResponse;

export interface PageResponse {
  readonly kind: 'page';
  readonly status: number;
  /** What the browser's tab says. */
  readonly title: string;
  /** What stands between header and footer, as HTML. */
  readonly body: JSX.Element;
  /** An address elsewhere that somebody agreed to go to; the browser goes there by itself. */
  readonly goesTo?: string;
}

export interface RedirectResponse {
  readonly kind: 'redirect';
  /** A path below the console, which it begins with a slash. */
  readonly to: string;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
}

export interface FileResponse {
  readonly kind: 'file';
  readonly type: string;
  /** Under which it is saved. */
  readonly name: string;
  readonly text: AsyncIterable<string>;
}

/** @param status default: 200 */
export function page(title: string, body: JSX.Element, status = 200): PageResponse {
  return { kind: 'page', status, title, body };
}

/** A page with a form, as it was asked for or with what is wrong about what was sent. */
export function formPage(title: string, body: JSX.Element, { problems }: Pick<SentForm, 'problems'>): PageResponse {
  return page(title, body, problems === undefined ? 200 : 422);
}

/** Where the browser goes next, with GET. */
export function redirect(
  to: string,
  { cookies = [] }: { readonly cookies?: readonly string[] } = {},
): RedirectResponse {
  return { kind: 'redirect', to, cookies };
}

/** What is wrong with a form, by field; the empty name is for the form as a whole. */
export type FormProblems = Readonly<Record<string, string>>;

/** The fields of a form as they were sent, to be shown again. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

/** A form, as the fields of its page show it. */
export interface SentForm {
  /** What it said; empty where the page itself is asked for. */
  readonly form: FormValues;
  /** What is wrong with it; undefined: nothing. */
  readonly problems?: FormProblems | undefined;
}

/** A field as text; empty where it was not sent, or more than once. */
export function textOf(values: FormValues, name: string): string {
  const value = values[name];
  return typeof value === 'string' ? value : '';
}

/** A field that may be sent more than once, such as checkboxes of one name. */
export function textsOf(values: FormValues, name: string): readonly string[] {
  const value = values[name];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** A line of text that a form needs. @param missing what is said where there is none; the other two where it is longer than `max` */
export function neededText(missing: string, max: number, tooLong = `At most ${max} characters.`) {
  return z.string({ error: missing }).trim().min(1, missing).max(max, tooLong);
}

/** Of a form that is nothing but a button. */
export const NO_FIELDS = z.object({});

/** A form of a page: what it asks for is done, or the page is shown again with all that is wrong. */
export interface ConsoleForm<T, Pages> {
  readonly fields: z.ZodType<T>;
  readonly show: (pages: Pages) => ConsoleResponse | Promise<ConsoleResponse>;
  /** What can't be done rejects with `usage`, whose message is shown. */
  readonly work: (pages: Pages, fields: T) => Promise<ConsoleResponse>;
}

/** Does what a form asks for, or shows its page again with all that is wrong, a message per field. */
export async function submit<T, Pages extends SentForm>(
  { fields, show, work }: ConsoleForm<T, Pages>,
  pages: Pages,
): Promise<ConsoleResponse> {
  const parsed = fields.safeParse(pages.form);
  if (!parsed.success) return show({ ...pages, problems: problemsOf(parsed.error) });
  try {
    return await work(pages, parsed.data);
  } catch (error) {
    if (isAppError(error, 'usage')) return show({ ...pages, problems: { '': error.message } });
    throw error;
  }
}

/** The first message of each field. */
function problemsOf({ issues }: z.ZodError): FormProblems {
  const problems: Record<string, string> = {};
  for (const { path, message } of issues) problems[String(path[0] ?? '')] ??= message;
  return problems;
}
