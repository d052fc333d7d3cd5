/**
 * Text on its way to a terminal, or to a log that people read there (specification "Output"). Names, ids and messages come from sources,
 * servers and databases: whatever they hold, none of it moves a cursor, changes a title, hides a line or turns the order of letters. All
 * that a command prints goes through here, and colours are made here alone.
 */
import { randomInt } from 'node:crypto';

/**
 * Begins the colours of this process, so that nobody else's are taken for ours; a part of the sequence as terminals know them, because the
 * width of a table's cells is counted without those.
 */
const OURS = `${randomInt(1000, 10_000)};${randomInt(1000, 10_000)}`;

/** What terminals obey: control characters but tab and the end of a line, and what turns the direction of text. */
const OBEYED = '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]';
const FOUND = new RegExp(OBEYED);
const PARTS = new RegExp(`\\u001b\\[${OURS};(\\d+)m|\\r\\n|${OBEYED}`, 'g');

/**
 * A text with escapes such as `\u001b` in place of what a terminal would obey. They are those of JSON, so an answer in JSON stays what
 * it was.
 */
export function terminalText(text: string): string {
  if (!FOUND.test(text)) return text;
  return text.replaceAll(PARTS, (found, colour?: string) => {
    if (colour !== undefined) return `\u001b[${colour}m`;
    return found === '\r\n' ? found : escaped(found);
  });
}

/** {@link terminalText} of what has to stay in one line. */
export function terminalLine(text: string): string {
  return terminalText(text).replaceAll(/[\r\n\t]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** What begins or ends a colour of this process; {@link terminalText} makes it one that terminals know. */
export function colourSequence(colour: number): string {
  return `\u001b[${OURS};${colour}m`;
}
