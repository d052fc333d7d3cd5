import { parseAst } from 'rolldown/parseAst';

/**
 * The titles of the tests in a source text, each behind those of its `describe`s with ` › ` between two, as they stand there: `$name`,
 * `%s` and `${…}` are not filled in. What is skipped or still to do holds nothing and is left out; so is a `test(…)` inside a string
 * or a comment.
 */
export function testTitlesIn(source: string): readonly string[] {
  const titlesBelow = (value: unknown, groups: readonly string[]): readonly string[] => {
    if (!isNode(value)) return [];
    const root = value['type'] === 'CallExpression' ? rootOf(value['callee']) : undefined;
    const title = root && titleOf(value, source);
    const path = title === undefined ? groups : [...groups, title];
    const isTest = title !== undefined && root !== 'describe';
    const inside = Object.values(value).flatMap((child) => titlesBelow(child, isTest ? groups : path));
    return isTest ? [path.join(' › '), ...inside] : inside;
  };
  return titlesBelow(parseAst(source, { lang: 'ts' }), []);
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

/** Which of vitest's functions is called, also through what is made of it, such as `test.each(rows)`; undefined for what never runs. */
function rootOf(callee: unknown): 'test' | 'it' | 'describe' | undefined {
  if (!isNode(callee)) return undefined;
  const { type, name, callee: called, tag, object, property } = callee;
  if (type === 'Identifier') return (['test', 'it', 'describe'] as const).find((known) => known === name);
  const isIdle = isNode(property) && ['skip', 'todo'].includes(String(property['name']));
  return isIdle ? undefined : rootOf(called ?? tag ?? object);
}

/** A string as it is meant, a template as it is written; undefined for what only running tells. */
function titleOf({ arguments: given }: Node, source: string): string | undefined {
  const [first] = Array.isArray(given) ? given : [];
  if (!isNode(first)) return undefined;
  const { type, value, start, end } = first;
  if (type === 'Literal') return typeof value === 'string' ? value : undefined;
  return type === 'TemplateLiteral' ? source.slice(Number(start) + 1, Number(end) - 1) : undefined;
}
