/**
 * Environment variables in a source's headers and queries, written `${NAME}`. Their values are secrets: they are used
 * only in requests.
 */
import { AppError } from '../../runtime/errors.ts';

const VARIABLE = /\$\{([^}]*)\}/g;
const NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Secrets of the service and its dependencies, which a source from somebody else must not read. */
const RESERVED = /^(?:MODELSTATS_|AWS_|NODE_|PG|STRIPE_)/;

/** In order. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/** Undefined where every variable is allowed. */
export function findVariableProblem(text: string): string | undefined {
  for (const name of variablesIn(text)) {
    if (!NAME.test(name)) return `\${${name}} is not a variable: write it like \${API_KEY}`;
    if (RESERVED.test(name)) return `\${${name}} belongs to the service; a source can't use it`;
  }
  return text.replaceAll(VARIABLE, '').includes(`\${`) ? `has a \${ without its }` : undefined;
}

export function fillVariables(text: string, secretOf: (name: string) => string): string {
  return text.replaceAll(VARIABLE, (_, name: string) => secretOf(name));
}

interface RequestTemplate {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function isHeaderText(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value);
}

/** A request as sent, with secrets: never logged or reported. */
export interface FilledRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers with a variable. */
  readonly secretHeaders: Readonly<Record<string, string>>;
}

/** The environment for sources; an empty variable counts as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Variables that are not set or can't be sent, each with the reason. */
export function findUnfilled({ url, headers }: RequestTemplate, variables: Variables): readonly string[] {
  const inHeaders = Object.values(headers).flatMap(variablesIn);
  const names = [...new Set([...variablesIn(url), ...inHeaders])];
  return names.flatMap((name) => {
    const value = variables[name] ?? '';
    if (value === '') return [`${name}, which is not set`];
    return inHeaders.includes(name) && !isHeaderText(value) ? [`${name}, which is not valid in a header`] : [];
  });
}

interface RequiredRequest extends RequestTemplate {
  readonly upstream: string;
  readonly file: string;
  readonly optional: boolean;
}

/** Rejects with `configuration`, naming every variable that a required file needs and that isn't set. */
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

/** @param variables all that the entry needs */
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
