import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectionOf, tableRowsOf } from './markdown.ts';
import { ROOT } from './text-files.ts';

/** The commands of a block of code, in order; several on a line stand apart by three spaces or more. */
export function toldCommands(block: string) {
  return block
    .split('\n')
    .filter((line) => line.startsWith('modelstats '))
    .flatMap((line) => line.replace('modelstats ', '').split(/ {3,}/))
    .map(toldCommand);
}

/** A command as a line of the specification tells it. */
function toldCommand(usage: string) {
  const [name = ''] = /^[a-z -]+?(?= --| \[| [A-Z]|$)/.exec(usage) ?? [];
  const rest = usage.slice(name.length);
  const groups = [...rest.matchAll(/\[([^\]]*)\]/g)].map(([, inside = '']) => inside);
  const outside = rest.replaceAll(/\[[^\]]*\]/g, ' ');
  const optionsOf = (text: string) => [...text.matchAll(/--[a-z-]+/g)].map(([option]) => option);
  return {
    /** Its words, such as `keys create`. */
    name,
    /** Long options; those in brackets may be left out. */
    required: optionsOf(outside),
    optional: groups.flatMap(optionsOf),
    /** Words in capitals that belong to no option: `SNAPSHOT`, or `[SNAPSHOT]` where it may be left out. */
    parameters: [
      ...[...outside.replaceAll(/--[a-z-]+ \S+/g, ' ').matchAll(/[A-Z]+/g)].map(([word]) => word),
      ...groups.filter((group) => /^[A-Z]+$/.test(group)).map((group) => `[${group}]`),
    ],
    hasTerms: groups.includes('terms'),
  };
}

/** The names of the fields of a value as a document writes it, `{a, b: {c}, d}`; what stands inside a field's own braces is not listed. */
function toldFields(text: string): readonly string[] {
  let flat = text.trim().replace(/^\{|\}$/g, '');
  while (/[[{][^[\]{}]*[\]}]/.test(flat)) flat = flat.replaceAll(/[[{][^[\]{}]*[\]}]/g, '');
  return flat.split(',').map((field) => field.split(':')[0]?.trim() ?? '');
}

/** The fields of each value that a command answers with `--json`, as its row of the specification has them, in order. */
export function responseFields(command: string): readonly (readonly string[])[] {
  const specification = readFileSync(join(ROOT, 'docs/specification.md'), 'utf8');
  const rows = tableRowsOf(sectionOf(specification, 'JSON answers') ?? '').slice(1);
  const [, response = ''] = rows.find(([names]) => names?.split(', ').includes(`\`${command}\``)) ?? [];
  return [...response.matchAll(/`(\{[^`]*\})`/g)].map(([, value = '']) => toldFields(value));
}
