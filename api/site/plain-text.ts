/** Characters that change the direction of the surrounding text. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
/** White space, and characters that XML forbids or that are invisible. */
const BLANK = /[\p{Cc}\s\ufdd0-\ufdef\ufffe\uffff]+/gu;

/** On one line, without control characters, lone surrogates and direction marks. */
export function plainText(text: string): string {
  return text.toWellFormed().replaceAll(DIRECTIONS, '').replaceAll(BLANK, ' ').trim();
}

const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mandaic}\p{Script=Samaritan}]/u;

/** By its first letter. */
export function isRightToLeft(text: string): boolean {
  const [letter = ''] = /\p{L}/u.exec(text) ?? [];
  return RIGHT_TO_LEFT.test(letter);
}

/** Wraps right-to-left text in isolates (Unicode UAX 9), so that the surrounding text keeps its order. */
export function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}
