import type { JSX } from 'preact';
import { z } from 'zod';
import { isAppError } from '../../../runtime/errors.ts';

export type ConsoleResponse = PageResponse | RedirectResponse | FileResponse;

export interface PageResponse {
  readonly kind: 'page';
  readonly status: number;
  /** Of the browser's tab. */
  readonly title: string;
  /** HTML between header and footer. */
  readonly body: JSX.Element;
  /** An external address that the person agreed to; the browser goes there by itself. */
  readonly forwardTo?: string;
}

export interface RedirectResponse {
  readonly kind: 'redirect';
  /** A path below the console, from its first slash. */
  readonly to: string;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
}

export interface FileResponse {
  readonly kind: 'file';
  readonly type: string;
  /** Of the saved file. */
  readonly name: string;
  readonly text: AsyncIterable<string>;
}

/** @param status default: 200 */
export function page(title: string, body: JSX.Element, status = 200): PageResponse {
  return { kind: 'page', status, title, body };
}

/** A page with an empty form, or with a rejected one and its problems. */
export function formPage(title: string, body: JSX.Element, { problems }: Pick<SentForm, 'problems'>): PageResponse {
  return page(title, body, problems === undefined ? 200 : 422);
}

/** With GET. */
export function redirect(
  to: string,
  { cookies = [] }: { readonly cookies?: readonly string[] } = {},
): RedirectResponse {
  return { kind: 'redirect', to, cookies };
}

/** By field; the empty name is for the whole form. */
export type FormProblems = Readonly<Record<string, string>>;

/** As sent, to be shown again. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

export interface SentForm {
  /** Empty if the page itself was requested. */
  readonly form: FormValues;
  readonly problems?: FormProblems | undefined;
}

/** Empty if it was not sent, or more than once. */
export function textOf(values: FormValues, name: string): string {
  const value = values[name];
  return typeof value === 'string' ? value : '';
}

/** For a field that may repeat, such as checkboxes. */
export function textsOf(values: FormValues, name: string): readonly string[] {
  const value = values[name];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** A required line of text. @param missing message if it is empty; `tooLong`: if it exceeds `max` */
export function requiredText(missing: string, max: number, tooLong = `At most ${max} characters.`) {
  return z.string({ error: missing }).trim().min(1, missing).max(max, tooLong);
}

/** For a form that is only a button. */
export const NO_FIELDS = z.object({});

export interface ConsoleForm<T, Pages> {
  readonly fields: z.ZodType<T>;
  readonly show: (pages: Pages) => ConsoleResponse | Promise<ConsoleResponse>;
  /** Rejects with `usage` for impossible requests; the page shows its message. */
  readonly work: (pages: Pages, fields: T) => Promise<ConsoleResponse>;
}

/** Does the form's work, or shows its page again with all problems, one per field. */
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

function problemsOf({ issues }: z.ZodError): FormProblems {
  const problems: Record<string, string> = {};
  for (const { path, message } of issues) problems[String(path[0] ?? '')] ??= message;
  return problems;
}
