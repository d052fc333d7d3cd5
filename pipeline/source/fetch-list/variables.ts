/**
 * Variables of the environment in a source's headers and queries, written `${NAME}`. Their values are secrets: they go into
 * requests, and nowhere else.
 */

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
