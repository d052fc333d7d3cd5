/**
 * Variables of the environment in a source's headers and queries, written `${NAME}`. Their values are secrets: they go into
 * requests, and nowhere else.
 */
import { AppError } from '../../runtime/errors.ts';

const VARIABLE = /\$\{([^}]*)\}/g;
const NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Secrets of the service itself and of what it stands on; a source that was taken from somebody else must not ask for them. */
const OURS = /^(?:MODELSTATS_|AWS_|NODE_|PG|STRIPE_)/;

/** The names in a text, in order. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/** What is wrong with the variables of a text; undefined where each may be asked for. */
export function findVariableProblem(text: string): string | undefined {
  for (const name of variablesIn(text)) {
    if (!NAME.test(name)) return `\${${name}} is no variable: write it like \${API_KEY}`;
    if (OURS.test(name)) return `\${${name}} belongs to the service and is given to no source`;
  }
  return text.replaceAll(VARIABLE, '').includes(`\${`) ? `has a \${ without its }` : undefined;
}

/** A text with every variable replaced by what `secretOf` gives for its name. */
export function fillVariables(text: string, secretOf: (name: string) => string): string {
  return text.replaceAll(VARIABLE, (_, name: string) => secretOf(name));
}

/** What is asked for, with its variables. */
interface RequestTemplate {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether a text can be the value of a header. */
export function isHeaderText(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value);
}

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
export function findUnfilled({ url, headers }: RequestTemplate, variables: Variables): readonly string[] {
  const inHeaders = Object.values(headers).flatMap(variablesIn);
  const names = [...new Set([...variablesIn(url), ...inHeaders])];
  return names.flatMap((name) => {
    const value = variables[name] ?? '';
    if (value === '') return [`${name}, which is not set`];
    return inHeaders.includes(name) && !isHeaderText(value) ? [`${name}, which is no text for a header`] : [];
  });
}

/** Of which file of which upstream it is, and whether the night goes on without it. */
interface RequiredRequest extends RequestTemplate {
  readonly upstream: string;
  readonly file: string;
  readonly optional: boolean;
}

/** Rejects with `configuration` where a required file asks for a variable that isn't set; all are told at once. */
export function assertFilled(entries: readonly RequiredRequest[], variables: Variables): void {
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
export function fillEntry({ url, headers }: RequestTemplate, variables: Variables): FilledRequest {
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
