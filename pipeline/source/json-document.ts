/** Where a text stops being JSON, in stable wording: the messages of `JSON.parse` change between versions of Node. */

const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;
const WHITE_SPACE = /[ \t\r\n]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** What ends a plain run of characters: the closing quote, an escape, or a control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these.
const SPECIAL = /["\\\u0000-\u001f]/g;

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | 'comma or end';

/** The fault and its character, 1-based; undefined for one JSON value. Handles any depth. */
export function findJsonFault(text: string): string | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = skip(WHITE_SPACE, text, 0);
  while (at < text.length) {
    const step = nextStep(text, at, expected, open);
    if (typeof step === 'string') return step;
    expected = step.expected;
    at = skip(WHITE_SPACE, text, step.end);
  }
  return expected === 'comma or end' && open.length === 0 ? undefined : 'it ends too early';
}

interface Step {
  readonly expected: Expected;
  readonly end: number;
}

function nextStep(text: string, at: number, expected: Expected, open: ('{' | '[')[]): Step | string {
  const character = text.charAt(at);
  switch (expected) {
    case ':':
      return character === ':' ? { expected: 'value', end: at + 1 } : unexpected(text, at);
    case 'comma or end':
      return afterValue(text, at, open);
    case 'name or }':
      if (character === '}') return close(open, at);
      return character === '"' ? scanText(text, at, ':') : unexpected(text, at);
    case 'name':
      return character === '"' ? scanText(text, at, ':') : unexpected(text, at);
    case 'value or ]':
      return character === ']' ? close(open, at) : scanValue(text, at, open);
    case 'value':
      return scanValue(text, at, open);
  }
}

function afterValue(text: string, at: number, open: ('{' | '[')[]): Step | string {
  const [innermost, character] = [open.at(-1), text.charAt(at)];
  if (character === ',' && innermost !== undefined) {
    return { expected: innermost === '{' ? 'name' : 'value', end: at + 1 };
  }
  const isEnd = (innermost === '{' && character === '}') || (innermost === '[' && character === ']');
  return isEnd ? close(open, at) : unexpected(text, at);
}

function scanValue(text: string, at: number, open: ('{' | '[')[]): Step | string {
  const character = text.charAt(at);
  if (character === '"') return scanText(text, at, 'comma or end');
  if (character === '{' || character === '[') {
    open.push(character);
    return { expected: character === '{' ? 'name or }' : 'value or ]', end: at + 1 };
  }
  const end = skip(LITERAL, text, at);
  return end > at ? { expected: 'comma or end', end } : unexpected(text, at);
}

function close(open: ('{' | '[')[], at: number): Step {
  open.pop();
  return { expected: 'comma or end', end: at + 1 };
}

function scanText(text: string, start: number, expected: Expected): Step | string {
  let at = start + 1;
  for (;;) {
    SPECIAL.lastIndex = at;
    const found = SPECIAL.exec(text);
    if (found === null) return `the string that begins at character ${start + 1} is unterminated`;
    if (found[0] === '"') return { expected, end: found.index + 1 };
    at = skip(ESCAPE, text, found.index);
    if (at === found.index) return unexpected(text, at);
  }
}

/** The end of a sticky match at a position; the position itself without one. */
function skip(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return at + (expression.exec(text)?.[0].length ?? 0);
}

function unexpected(text: string, at: number): string {
  const [character = ''] = text.slice(at, at + 2);
  return `character ${at + 1} is an unexpected ${JSON.stringify(character)}`;
}

/** Member names and array positions. */
export type JsonPath = readonly (string | number)[];

const STEP = /\.([A-Za-z_$][\w$-]*)|\['([^'\\]+)'\]|\[(\d{1,9})\]/y;

/** Parses `$.data.rows`, `$['data']` or `$.pages[0]`; undefined for other text. `$` is the whole document. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (!text.startsWith('$')) return undefined;
  const path: (string | number)[] = [];
  for (let at = 1; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const found = STEP.exec(text);
    if (found === null) return undefined;
    const [, name, quoted, position] = found;
    path.push(name ?? quoted ?? Number(position));
  }
  return path;
}

/** Undefined where nothing exists. */
export function valueAt(document: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((value, step) => {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return undefined;
    // The check above proves the member, which the type of an object can't express.
    return (value as Readonly<Record<string | number, unknown>>)[step];
  }, document);
}
