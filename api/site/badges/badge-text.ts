/** How much of a text a badge shows. */

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
