import type { z } from 'zod';

/** What is wrong with a form, by field; the empty name is for the form as a whole. */
export type FormProblems = Readonly<Record<string, string>>;

/** The fields of a form as they were sent, to be shown again. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

export type ParsedForm<T> =
  | { readonly fields: T; readonly problems?: never }
  | { readonly fields?: never; readonly problems: FormProblems };

/** What a form says, or all that is wrong with it, a message per field. */
export function parseForm<T>(schema: z.ZodType<T>, body: unknown): ParsedForm<T> {
  const result = schema.safeParse(body ?? {});
  if (result.success) return { fields: result.data };
  const problems: Record<string, string> = {};
  for (const { path, message } of result.error.issues) problems[String(path[0] ?? '')] ??= message;
  return { problems };
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
