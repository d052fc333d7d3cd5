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
  return indexOf(END_OF_PLAIN, text, at);
}

/** Behind the bracket that closes the one at `at`. */
function endOfNested(text: JsonText, at: number): number {
  let depth = 0;
  for (let next = at; ; next = indexOf(BRACKET_OR_STRING, text, next)) {
    const found = text[next];
    if (found === '"') {
      next = endOfString(text, next);
      continue;
    }
    if (found === undefined) throw brokenAt(at);
    depth += found === '{' || found === '[' ? 1 : -1;
    next += 1;
    if (depth === 0) return next;
  }
}

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

const END_OF_PLAIN = /[,\]}]/g;
const BRACKET_OR_STRING = /["[\]{}]/g;

function indexOf(pattern: RegExp, text: JsonText, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.index ?? text.length;
}
