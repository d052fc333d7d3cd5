/** Text of data on its way into sentences that any reader shows: as it is, but for what would break a document or a line. */

/**
 * What XML 1.0 can't hold, what ends or overrides lines, and what turns the order of the letters that follow: all of it looks like
 * nothing, or like something else.
 */
const UNSHOWN = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]+/gu;
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
/** First strong isolate, pop directional isolate (Unicode UAX 9). */
const [ISOLATE, END] = ['\u2068', '\u2069'];
/** Characters of a name; ids have at most 200. Longer: a name fills the list of a reader. */
const LENGTH_MAX = 200;

/** A name or an id inside a sentence: on one line, without controls; what reads from right to left leaves its surroundings alone. */
export function plainText(text: string): string {
  const characters = [...text.replace(UNSHOWN, ' ').replace(/\s+/gu, ' ').trim()];
  const shown =
    characters.length > LENGTH_MAX ? `${characters.slice(0, LENGTH_MAX - 1).join('')}…` : characters.join('');
  return RIGHT_TO_LEFT.test(shown) ? `${ISOLATE}${shown}${END}` : shown;
}

/** `a`, `a and b`, `a, b and c`; of more than `max` the first ones, `a, b and 7 more`. */
export function listOf(words: readonly string[], { max, count = words.length }: ListOptions): string {
  const shown = words.slice(0, max);
  const more = count - shown.length;
  const parts = more > 0 ? [...shown, `${more.toLocaleString('en-US')} more`] : shown;
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

interface ListOptions {
  /** Words at most. */
  readonly max: number;
  /** How many there are in all, where not all are given. */
  readonly count?: number;
}
