import { AppError } from '../../../runtime/errors.ts';
import { type FetchEntry, isHeaderText } from './fetch-entry.ts';
import { fillVariables, variablesIn } from './variables.ts';

/** A request as it is sent, secrets and all: nothing of it is ever told. */
export interface FilledRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Those with a variable in them. */
  readonly secretHeaders: Readonly<Record<string, string>>;
}

/** The environment, as far as sources may ask for it; an empty variable counts as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The variables of an entry that are not set, or that can't be sent, each with why. */
export function findUnfilled({ url, headers }: FetchEntry, variables: Variables): readonly string[] {
  const inHeaders = Object.values(headers).flatMap(variablesIn);
  const names = [...new Set([...variablesIn(url), ...inHeaders])];
  return names.flatMap((name) => {
    const value = variables[name] ?? '';
    if (value === '') return [`${name}, which is not set`];
    return inHeaders.includes(name) && !isHeaderText(value) ? [`${name}, which is no text for a header`] : [];
  });
}

/** Rejects with `configuration` where a required file asks for a variable that isn't set; all are told at once. */
export function assertFilled(entries: readonly FetchEntry[], variables: Variables): void {
  const problems = entries
    .filter(({ optional }) => !optional)
    .flatMap((entry) =>
      findUnfilled(entry, variables).map(
        (problem) => `${entry.file} of ${entry.upstream} needs the variable ${problem}`,
      ),
    );
  if (problems.length > 0) throw new AppError('configuration', problems.join('\n'));
}

/** @param variables has all that the entry asks for */
export function fillEntry({ url, headers }: FetchEntry, variables: Variables): FilledRequest {
  const secretOf = (name: string) => variables[name] ?? '';
  const filled = { open: new Map<string, string>(), secret: new Map<string, string>() };
  for (const [name, text] of Object.entries(headers)) {
    const kind = variablesIn(text).length > 0 ? filled.secret : filled.open;
    kind.set(name.toLowerCase(), fillVariables(text, secretOf));
  }
  return {
    url: new URL(fillVariables(url, (name) => encodeURIComponent(secretOf(name)))),
    headers: Object.fromEntries(filled.open),
    secretHeaders: Object.fromEntries(filled.secret),
  };
}
