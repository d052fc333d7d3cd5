/**
 * Reads JSON text without parsing its values. It must have no white space between tokens, as that of responses has none; throws an Error
 * where a name or an end is missing.
 */
import type { JsonText } from '../../view/view.ts';

/** Gives each field of the object that begins at `at`. Returns where the object ends. */
export function readFields(text: JsonText, at: number, onField: (name: string, value: JsonText) => void): number {
  let next = at + 1;
  while (text[next] !== '}') {
    const nameEnd = text[next] === '"' ? endOfString(text, next) : next;
    if (text[nameEnd] !== ':') throw brokenAt(next);
    const end = endOfValue(text, nameEnd + 1);
    onField(textFrom(text.slice(next, nameEnd)), text.slice(nameEnd + 1, end));
    next = text[end] === ',' ? end + 1 : end;
  }
  return next + 1;
}

/** The text that a JSON string stands for. */
export function textFrom(string: JsonText): string {
  return string.includes('\\') ? String(JSON.parse(string)) : string.slice(1, -1);
}

function endOfValue(text: JsonText, at: number): number {
  const first = text[at];
  if (first === '"') return endOfString(text, at);
  if (first === '{' || first === '[') return endOfNested(text, at);
  return endOfPlain(text, at);
}

/** Behind the bracket that closes the one at `at`. Character by character: with a pattern, long lists took twice the time. */
function endOfNested(text: JsonText, at: number): number {
  let depth = 0;
  for (let next = at; next < text.length; ) {
    const code = text.charCodeAt(next);
    next = code === QUOTE ? endOfString(text, next) : next + 1;
    if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth === 0) return next;
  }
  throw brokenAt(at);
}

const [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Behind the quote that closes the one at `at`. */
function endOfString(text: JsonText, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end < 0) throw brokenAt(at);
  return end + 1;
}

function brokenAt(at: number): Error {
  return new Error(`the JSON of a response is broken at character ${at}`);
}

/** After an odd number of backslashes. */
function isEscaped(text: JsonText, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Behind a number, true, false or null. */
function endOfPlain(text: JsonText, at: number): number {
  for (let next = at; next < text.length; next += 1) {
    const code = text.charCodeAt(next);
    if (code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT) return next;
  }
  throw brokenAt(at);
}
