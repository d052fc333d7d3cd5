/** Values of columns that are JSON themselves: stored and sent as one text each, whatever text a source gave. */
import type { z } from 'zod';

export interface JsonForm<T> {
  /** As in "is not …". */
  readonly label: string;
  /** Of the published value. */
  readonly schema: z.ZodType<T>;
  /** The value in its one form, which `JSON.stringify` prints; null for an empty one. */
  readonly parse: (text: string) => Parsed<T>;
}

/** `problem` completes "the value …". */
export type Parsed<T> = { readonly value: T | null } | { readonly problem: string };

/** Characters of a problem, which may cite a source's text. */
export const PROBLEM_LENGTH_MAX = 200;

/** Null within the value counts as absent: a column of a table has no other form for that. */
export function parseJson<T>(text: string, schema: z.ZodType<T>): { readonly value: T } | { readonly problem: string } {
  let given: unknown;
  try {
    given = JSON.parse(text);
    if (typeof given === 'object' && given !== null) removeNulls(given);
  } catch {
    return { problem: 'is not JSON' };
  }
  const parsed = schema.safeParse(given);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  const path = issue?.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('') ?? '';
  const message = issue?.message.replaceAll(/\p{Cc}/gu, '\ufffd') ?? '';
  return { problem: `is wrong${path && ` at ${path}`}: ${message}`.slice(0, PROBLEM_LENGTH_MAX).toWellFormed() };
}

/** A reviver of `JSON.parse` takes twenty times as long. */
function removeNulls(holder: object): void {
  for (const [key, value] of Object.entries(holder)) {
    if (value === null) Reflect.deleteProperty(holder, key);
    else if (typeof value === 'object') removeNulls(value);
  }
}
