import { z } from 'zod';
import { isAppError } from '../../../runtime/errors.ts';
import type { ConsoleAnswer } from './answer.ts';
import type { FormProblems, FormValues } from './form.ts';

/** Of a form that is nothing but a button. */
export const NO_FIELDS = z.object({});

export interface SubmitOptions<T, V> {
  /** The form's page again, with what is wrong. */
  readonly show: (visitor: V, problems: FormProblems) => ConsoleAnswer | Promise<ConsoleAnswer>;
  /** Does what the form asks for; what can't be done rejects with `usage`, whose message is shown. */
  readonly work: (fields: T) => Promise<ConsoleAnswer>;
}

/** Does what a form asks for, or shows its page again with all that is wrong, a message per field. */
export async function submit<T, V extends { readonly form: FormValues }>(
  schema: z.ZodType<T>,
  visitor: V,
  { show, work }: SubmitOptions<T, V>,
): Promise<ConsoleAnswer> {
  const parsed = schema.safeParse(visitor.form);
  if (!parsed.success) return show(visitor, problemsOf(parsed.error));
  try {
    return await work(parsed.data);
  } catch (error) {
    if (isAppError(error, 'usage')) return show(visitor, { '': error.message });
    throw error;
  }
}

/** The first message of each field. */
function problemsOf({ issues }: z.ZodError): FormProblems {
  const problems: Record<string, string> = {};
  for (const { path, message } of issues) problems[String(path[0] ?? '')] ??= message;
  return problems;
}
