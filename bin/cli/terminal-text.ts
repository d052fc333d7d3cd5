/**
 * Makes text safe for terminals (specification "Output"). Names, ids and messages come from sources, servers and
 * databases, and must not move a cursor, change a title, hide a line or reverse letters. All output of commands passes
 * through here, and only this module makes colours.
 */
import { randomInt } from 'node:crypto';

/**
 * Marks colours of this process, so that text can't forge them; part of a valid sequence, which table widths ignore.
 */
const OURS = `${randomInt(1000, 10_000)};${randomInt(1000, 10_000)}`;

/** Control characters except tab and newline, and characters that set text direction. */
const OBEYED = '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]';
const FOUND = new RegExp(OBEYED);
const PARTS = new RegExp(`\\u001b\\[${OURS};(\\d+)m|\\r\\n|${OBEYED}`, 'g');

/** Escapes what a terminal would interpret, such as `\u001b`. The escapes are JSON's, so JSON stays valid. */
export function terminalText(text: string): string {
  if (!FOUND.test(text)) return text;
  return text.replaceAll(PARTS, (found, colour?: string) => {
    if (colour !== undefined) return `\u001b[${colour}m`;
    return found === '\r\n' ? found : escaped(found);
  });
}

/** {@link terminalText} on one line. */
export function terminalLine(text: string): string {
  return terminalText(text).replaceAll(/[\r\n\t]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Starts or ends a colour; {@link terminalText} turns it into a sequence that terminals know. */
export function colourSequence(colour: number): string {
  return `\u001b[${OURS};${colour}m`;
}
