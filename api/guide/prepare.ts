/**
 * What stands in a page's text besides Markdown. All of it is a comment or a word to whoever reads the text in the repository:
 *
 * - `<!-- if NAME -->` … `<!-- else -->` … `<!-- end -->`: what stands there only where a capability is live, or with `not` where it isn't;
 * - `<!-- table NAME -->`: a table that is made of what the program knows;
 * - `{{NAME}}`: a value that the program knows.
 *
 * Each throws where there is no such name, so that a page that is wrong keeps the service from starting, and every test from passing.
 */

export interface Words {
  /** Whether what a condition names is there. */
  readonly conditions: Readonly<Record<string, boolean>>;
  readonly values: Readonly<Record<string, string>>;
  /** In Markdown. */
  readonly tables: Readonly<Record<string, string>>;
}

const CONDITION = /^<!-- (if(?: not)? \w+|else|end) -->\n|<!-- (if(?: not)? \w+|else|end) -->/m;

/** Markdown alone: conditions decided, tables and values filled in. */
export function prepare(text: string, words: Words): string {
  return decide(text, words.conditions)
    .replaceAll(/^<!-- table ([\w-]+) -->$/gm, (_, name: string) => get(words.tables, name, 'table'))
    .replaceAll(/\{\{([\w.-]+)\}\}/g, (_, name: string) => get(words.values, name, 'value'));
}

function decide(text: string, conditions: Words['conditions']): string {
  // Text, what a directive on a line of its own says, what one within a line says, text, …
  const parts = text.split(new RegExp(CONDITION, 'gm'));
  let open: readonly boolean[] = [];
  let decided = '';
  for (let at = 0; at < parts.length; at += 3) {
    if (!open.includes(false)) decided += parts[at];
    const directive = parts[at + 1] ?? parts[at + 2];
    if (directive !== undefined) open = follow(directive, open, conditions);
  }
  if (open.length > 0) throw new Error('an <!-- if --> has no <!-- end -->');
  return decided;
}

/** What is open behind a directive, the innermost last; `open` is what is before it. */
function follow(directive: string, open: readonly boolean[], conditions: Words['conditions']): readonly boolean[] {
  if (directive.startsWith('if')) return [...open, holds(directive, conditions)];
  const innermost = open.at(-1);
  if (innermost === undefined) throw new Error(`<!-- ${directive} --> without an if before it`);
  return directive === 'else' ? [...open.slice(0, -1), !innermost] : open.slice(0, -1);
}

function holds(directive: string, conditions: Words['conditions']): boolean {
  const [name = '', not] = directive.split(' ').reverse();
  return get(conditions, name, 'condition') !== (not === 'not');
}

function get<T>(all: Readonly<Record<string, T>>, name: string, what: string): T {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found === undefined) throw new Error(`there is no ${what} ${name}`);
  return found;
}
