/** What is wrong with a form, by field; the empty name is for the form as a whole. */
export type FormProblems = Readonly<Record<string, string>>;

/** The fields of a form as they were sent, to be shown again. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

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
