/** Text of data and of callers where people see it: on one line, of characters that XML may hold, and reading as it was written. */

/** What turns the text around it: overrides, embeddings, isolates, marks. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
/** White space of every kind, and what XML can't hold or nobody sees. */
const BLANK = /[\p{Cc}\s\ufdd0-\ufdef\ufffe\uffff]+/gu;

/** A text on one line, without control characters, halves of surrogate pairs and signs of direction. */
export function plainText(text: string): string {
  return text.toWellFormed().replaceAll(DIRECTIONS, '').replaceAll(BLANK, ' ').trim();
}

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mandaic}\p{Script=Samaritan}]/u;

/** Whether a text begins in a script that is written from right to left, as far as it is in any. */
export function isRightToLeft(text: string): boolean {
  const [letter = ''] = /\p{L}/u.exec(text) ?? [];
  return RIGHT_TO_LEFT.test(letter);
}

/** A plain text to stand within another, whose order it leaves alone: in isolates (Unicode UAX 9), where it needs any. */
export function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}
