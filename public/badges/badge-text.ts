/** Text of data and of callers as a badge shows it: on one line, of characters that XML may hold, and reading as it was written. */

/** A badge is no place for what turns the text around it: overrides, embeddings, isolates, marks. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
/** White space of every kind, and what XML can't hold or nobody sees. */
const BLANK = /[\p{Cc}\s\ufffe\uffff]+/gu;

/** A text on one line, without control characters, halves of surrogate pairs and signs of direction. */
export function plainText(text: string): string {
  return text.toWellFormed().replaceAll(DIRECTIONS, '').replaceAll(BLANK, ' ').trim();
}

const LETTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** More than any emoji has, and far less than marks that are heaped on a letter, in units of UTF-16. */
const LETTER_LENGTH_MAX = 20;
/** What is drawn as wide as it is high. */
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\ufe0f\uff01-\uff60]/u;

/** A plain text of at most so many columns, of which a wide letter takes two; what is cut ends in `…`, never within a letter. */
export function cutText(text: string, columnsMax: number): string {
  let [columns, shown, kept] = [0, '', ''];
  for (const letter of lettersOf(text)) {
    columns += WIDE.test(letter) ? 2 : 1;
    if (columns > columnsMax) return `${kept.trimEnd()}…`;
    shown += letter;
    if (columns < columnsMax) kept = shown;
  }
  return shown;
}

/** What people take for letters, one by one: marks belong to what they stand on. */
export function* lettersOf(text: string): Iterable<string> {
  for (const { segment } of LETTERS.segment(text)) {
    yield segment.length <= LETTER_LENGTH_MAX ? segment : String.fromCodePoint(segment.codePointAt(0) ?? 0);
  }
}

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mandaic}\p{Script=Samaritan}]/u;

/** Whether a text begins in a script that is written from right to left, as far as it is in any. */
export function isRightToLeft(text: string): boolean {
  const [letter = ''] = /\p{L}/u.exec(text) ?? [];
  return RIGHT_TO_LEFT.test(letter);
}

/** A plain text to stand within another, whose order it leaves alone: in isolates, where it needs any. */
export function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}
